// node scripts/screenshots.mjs: takes docs/screenshots from the production build, in both themes and both widths.
import { spawnSync } from 'node:child_process'
import { inRoot } from './lib/common/paths.mjs'

const args = [
  inRoot('node_modules/tsx/dist/cli.mjs'),
  inRoot('e2e/support/browser/screenshots.ts'),
  inRoot('docs/screenshots'),
]
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: inRoot('e2e') }).status ?? 1
