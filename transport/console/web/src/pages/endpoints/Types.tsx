import {Checkbox, Stack} from "@mantine/core";
import type {Endpoint} from "../../api/types";
import {eventTypesOf} from "../../outbound/words";

interface Props {
  readonly kind: Endpoint["kind"];
  readonly value: string[];
  readonly change: (types: string[]) => void;
}

/** Types are the boxes for the types of event that an endpoint receives. */
export function Types({kind, value, change}: Props) {
  return (
    <Checkbox.Group label="Events" description="None chosen means all, those of later versions too." value={value} onChange={change}>
      <Stack gap="xs" mt={6}>{eventTypesOf(kind).map(({type, reports}) => <Checkbox key={type} value={type} label={<span className="mono">{type}</span>} description={reports}/>)}</Stack>
    </Checkbox.Group>
  );
}
