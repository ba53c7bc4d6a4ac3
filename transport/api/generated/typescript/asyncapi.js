// Parses the AsyncAPI document and prints its errors.
import { Parser, fromFile } from "@asyncapi/parser";

const errors = 0; // DiagnosticSeverity.Error
const { diagnostics } = await fromFile(new Parser(), process.argv[2]).parse();
const found = diagnostics.filter((d) => d.severity === errors);
for (const d of found) console.log(`${d.path.join(".")}: ${d.message}`);
process.exitCode = found.length > 0 ? 1 : 0;
