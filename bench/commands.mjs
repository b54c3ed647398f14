// How long the agent takes to judge a long command (POL-4, PERM-8.21):
//   node bench/commands.mjs [KiB]
// Prints the CPU time for a quarter of the length, for the whole, and their ratio. A ratio of 4 is linear.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const length = Number(process.argv[2] ?? 100) * 1_024
const actions = fileURLToPath(new URL('../apps/agent/src/actions/', import.meta.url))
const outfile = path.join(actions, '.bench-commands.mjs')
const contents = "export { deniedBy } from './denied'; export { doubtsOf } from './doubts'"
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const kinds = {
  'one word': 'a\u00a0',
  'a word of two kinds': '\u00a0\v',
  words: 'ab\u00a0cd ef\r ',
  lines: '\r\n',
  assignments: 'a=\u00a0',
  substitutions: '$(a\u00a0)',
  'open brackets': '(\u00a0',
}

try {
  await build({
    stdin: { contents, resolveDir: actions, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    outfile,
    logLevel: 'error',
  })
  const { deniedBy, doubtsOf } = await import(pathToFileURL(outfile))
  const rules = { agentPlaces: ['/nowhere/agent'], denyPaths: ['/nowhere/private'] }
  const judge = (command) => {
    const action = { tool: 'Bash', input: { command }, cwd: '/' }
    deniedBy(action, rules)
    doubtsOf(action, rules)
  }
  const cpuMs = (command) => {
    const times = [1, 2, 3].map(() => {
      const from = process.cpuUsage()
      judge(command)
      const { user, system } = process.cpuUsage(from)
      return (user + system) / 1_000
    })
    return Math.min(...times)
  }
  for (const part of Object.values(kinds)) judge(part.repeat(2_000))
  for (const [name, part] of Object.entries(kinds)) {
    const [short, long] = [length / 4, length].map((size) => cpuMs(part.repeat(size / part.length)))
    const figures = `${short.toFixed(0)} ms for a quarter, ${long.toFixed(0)} ms, ratio ${(long / short).toFixed(1)}`
    console.log(`${name.padEnd(20)} ${figures}`)
  }
} finally {
  rmSync(outfile, { force: true })
}
