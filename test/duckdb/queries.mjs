// Runs what docs/data.md says, as it stands there: the commands, then every query, whose answers must be those in the
// comments below it.
//   node queries.mjs DATA.md COORDINATOR CONFIGS [FOLDER]
// FOLDER has files of the page already; a page without commands needs one.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [page, coordinator, configs, folder] = process.argv.slice(2);
const blocks = [...readFileSync(page, 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
const dir = mkdtempSync(join(tmpdir(), 'pagoda-duckdb-'));
let queries = 0;
let wrong = 0;
try {
  process.chdir(folder ?? dir);
  for (const [, kind, text] of blocks) {
    if (kind !== 'sh') continue;
    for (const line of text.trim().split('\n')) {
      const [, ...args] = line.split(' ');
      execFileSync(coordinator, args.map((a) => a.replace(/^configs\//, configs + '/')), { stdio: ['ignore', 'ignore', 'pipe'] });
    }
  }
  const db = await (await DuckDBInstance.create(':memory:')).connect();
  for (const [, kind, text] of blocks) {
    if (kind !== 'sql') continue;
    for (const [, sql, comments] of text.matchAll(/([\s\S]*?;)\n((?:-- .*\n)+)/g)) {
      const want = comments.trim().split('\n').map((line) => line.slice(3)).join('\n');
      let got;
      try {
        const answer = await db.runAndReadAll(sql);
        got = answer.getRows().map((row) => row.map(String).join(' | ')).join('\n');
      } catch (err) {
        got = String(err.message);
      }
      queries++;
      if (got !== want) {
        wrong++;
        console.error(`${sql}\ngot:\n${got}\nwant:\n${want}\n`);
      }
    }
    if (!/;\n(?:-- .*\n)+$/.test(text)) {
      wrong++;
      console.error(`a query without an answer below it:\n${text}`);
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(`${queries} queries of ${page}, ${wrong} not as it says`);
if (wrong > 0 || queries < (folder ? 1 : 10)) process.exit(1);
