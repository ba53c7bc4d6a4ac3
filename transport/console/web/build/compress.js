// compress writes .gz and .br beside every asset and removes the asset itself: the binary
// holds only the compressed forms and decompresses for the rare client that takes neither.
import {readdirSync, readFileSync, unlinkSync, writeFileSync} from "node:fs";
import {brotliCompressSync, constants, gzipSync} from "node:zlib";

const folder = "dist/assets";
for (const name of readdirSync(folder)) {
  const body = readFileSync(`${folder}/${name}`);
  writeFileSync(`${folder}/${name}.gz`, gzipSync(body, {level: 9}));
  writeFileSync(`${folder}/${name}.br`, brotliCompressSync(body, {
    params: {[constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length},
  }));
  unlinkSync(`${folder}/${name}`);
}
