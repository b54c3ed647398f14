// Test runs that are too long for npm test. Each installs and builds what it needs, as npm test does.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { listFiles } from '../common/files.mjs'
import { inRoot } from '../common/paths.mjs'
import { PlainError, run, tool } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureChromium } from '../setup/chromium.mjs'
import { ensureInstalled } from '../setup/install.mjs'

const vitest = (...args) => [tool('vitest'), 'run', ...args]

const stories = (project, ...files) => [tool('playwright'), 'test', ...files, `--project=${project}`]

const asksForVariations = /from '[^']*\/(variation|whole-matrix)(\.mjs)?'/

/**
 * Parts of the paths of all tests, suites and stories below one of these folders that leave something to `npm run matrix`. The
 * files that run a suite begin with its name, in whatever folder.
 * @param {string[]} folders
 */
const filesThatVary = (...folders) =>
  listFiles()
    .filter((name) => /\.(test|suite|spec)\.ts$/.test(name) && folders.some((folder) => name.startsWith(`${folder}/`)))
    .filter((name) => asksForVariations.test(readFileSync(inRoot(name), 'utf8')))
    .map((name) => name.replace(/^.*\/([^/]+)\.suite\.ts$/, '$1').replace(/^e2e\//, ''))

/** `units`: runs from the root, played first. `commands` run in `e2e`. */
/** @type {Record<string, { browser?: true, real?: true, env?: Record<string, string>, units?: string[][], commands?: string[][] }>} */
export const longRuns = {
  storm: { browser: true, commands: [stories('stories', 'stories/kills.spec.ts')] },
  // All stories whose titles name a size.
  screens: {
    browser: true,
    real: true,
    // A variation has its sizes, too.
    env: { ROUNDHOUSE_SCREENS: 'all', ROUNDHOUSE_MATRIX: 'all' },
    commands: [[tool('playwright'), 'test', '--grep', String.raw`at \d+ px`]],
  },
  matrix: {
    browser: true,
    real: true,
    env: { ROUNDHOUSE_MATRIX: 'all' },
    units: [vitest(...filesThatVary('apps', 'packages'))],
    commands: [
      vitest(...filesThatVary('e2e/faults', 'e2e/real')),
      [tool('playwright'), 'test', ...filesThatVary('e2e/stories')],
    ],
  },
  programs: {
    real: true,
    env: { ROUNDHOUSE_PROGRAMS: 'all' },
    units: [vitest('real-claude.test', 'real-codex.test', 'real-opencode', 'real-gemini', 'real-acp')],
  },
  'more-programs': {
    real: true,
    env: { ROUNDHOUSE_MORE_PROGRAMS: '1' },
    units: [vitest('more/real-')],
  },
  conversation: { real: true, commands: [vitest('--project', 'long')] },
}

async function prepare({ browser, real }) {
  await ensureInstalled(console.log)
  const env = browser ? { CHROMIUM_PATH: await ensureChromium(console.log) } : {}
  if (real) {
    const backends = await import(pathToFileURL(inRoot('e2e/real-backends/install.mjs')).href)
    console.log(backends.describeBackends(await backends.installRealBackends()))
  }
  await ensureBuilt(console.log)
  return env
}

/** Runs all commands of the named run, with `args` added to each; the exit code is that of the last one that failed. */
export async function runLong(name, args) {
  try {
    const { env = {}, units = [], commands = [], ...needs } = longRuns[name]
    Object.assign(process.env, env)
    const prepared = await prepare(needs)
    const runs = [
      ...units.map((command) => ({ cwd: '.', command })),
      ...commands.map((command) => ({ cwd: 'e2e', command })),
    ]
    for (const { cwd, command } of runs) {
      const { code } = await run([...command, ...args], {
        show: true,
        cwd: inRoot(cwd),
        env: { ...env, ...prepared },
      })
      if (code !== 0) process.exitCode = code
    }
  } catch (error) {
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exitCode = 1
  }
}
