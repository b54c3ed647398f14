// npm run check: all checks that do not run the code, and one table at the end.
import { spawnSync } from 'node:child_process'
import { inRoot, root } from './lib/common/paths.mjs'
import { PlainError, tool } from './lib/common/run.mjs'
import { ensureInstalled } from './lib/setup/install.mjs'

const script = (name, ...args) => [process.execPath, inRoot('scripts', name), ...args]

const parts = [
  ['format and lint', [tool('biome'), 'ci', '--colors=off', '.']],
  ['database client', script('prisma.mjs', 'generate')],
  ['types, house', [tool('tsc'), '-p', '.']],
  ['types, packages and apps', [tool('turbo'), 'run', 'typecheck', '--output-logs=errors-only', '--continue']],
  ['lock', script('check-lock.mjs')],
  ['architecture', [tool('vitest'), 'run', 'architecture', '--reporter=dot']],
  ['migrations', script('prisma.mjs', 'check')],
  ['house rules', script('house-rules.mjs')],
  ['what only tests call', script('tests-only.mjs')],
  ['rules without a test', script('rules.mjs', '--check')],
]

const env = { ...process.env, NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' }
const needsShell = (command) => command.endsWith('.cmd') // Windows starts batch files through a shell only

try {
  await ensureInstalled(console.log)
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message.trim())
  process.exit(1)
}

const rows = parts.map(([title, [command, ...args]]) => {
  const begun = performance.now()
  const run = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    shell: needsShell(command),
    maxBuffer: 64 << 20,
  })
  const ok = run.status === 0
  if (!ok) console.log(`--- ${title}\n${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`)
  return {
    ok,
    text: `${ok ? 'ok    ' : 'FAILED'}  ${title.padEnd(26)} ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  }
})

console.log(rows.map((row) => row.text).join('\n'))
process.exitCode = rows.every((row) => row.ok) ? 0 : 1
