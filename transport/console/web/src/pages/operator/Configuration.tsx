import {Checkbox} from "@mantine/core";
import {useQuery} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {ConfigValue, Configuration as Values} from "../../api/types";
import {visible} from "../../ui/outside";
import {Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import styles from "./Operator.module.css";

/** Configuration shows what the service was started with. */
export default function Configuration() {
  const values = useQuery({queryKey: ["config"], queryFn: () => call<Values>("GET", "config")});
  const [changed, setChanged] = useState(false);
  return (
    <>
      <h1>Configuration</h1>
      {values.data && <p className="dim"><span className="mono">venuegate {values.data.version}</span>, started <Time at={values.data.startedAt} relative/></p>}
      <Panel title="Values in force" query={values} actions={<Checkbox size="xs" label="Only what differs from the default" checked={changed} onChange={(e) => setChanged(e.currentTarget.checked)}/>}
        empty={{when: ({items}) => changed && items.every(isDefault), text: "Every value is the default."}}>
        {({items}) => <Table caption="Configuration" rows={items.filter((item) => !changed || !isDefault(item))} id={({key}) => key} columns={columns} dense faded={isDefault}/>}
      </Panel>
      <p className="dim">Values come from the configuration file, then from variables, then from flags, and hold until the next start. Secrets are not shown.</p>
    </>
  );
}

function isDefault(item: ConfigValue): boolean {
  return item.value === item.default;
}

const columns: readonly Column<ConfigValue>[] = [
  {title: "Key", cell: ({key}) => <span className="mono outside">{key}</span>},
  {title: "Value", cell: ({value}) => <Text text={value}/>},
  {title: "Default", cell: (item) => isDefault(item) ? <span className="dim">same</span> : <Text text={item.default}/>},
];

function Text({text}: {text: string}) {
  return text === "" ? <span className="dim">none</span> : <span className={`mono outside ${styles.wrap}`}>{visible(text)}</span>;
}
