import {Checkbox, Stack} from "@mantine/core";
import {eventTypes} from "../../outbound/words";

/** Types are the boxes for the types of event that an endpoint receives. */
export function Types({value, change}: {value: string[]; change: (types: string[]) => void}) {
  return (
    <Checkbox.Group label="Events" description="None chosen means all, those of later versions too." value={value} onChange={change}>
      <Stack gap="xs" mt={6}>{eventTypes.map(({type, reports}) => <Checkbox key={type} value={type} label={<span className="mono">{type}</span>} description={reports}/>)}</Stack>
    </Checkbox.Group>
  );
}
