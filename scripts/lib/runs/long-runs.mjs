// Test runs that are too long for npm test. Each installs and builds what it needs, as npm test does.
import { pathToFileURL } from 'node:url'
import { inRoot } from '../common/paths.mjs'
import { PlainError, run, tool } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureChromium } from '../setup/chromium.mjs'
import { ensureInstalled } from '../setup/install.mjs'

const vitest = (...args) => [tool('vitest'), 'run', ...args]
const stories = (file, project) => [tool('playwright'), 'test', `stories/${file}.spec.ts`, `--project=${project}`]

/** `cwd`: below the repository; `e2e` unless told otherwise. */
/** @type {Record<string, { browser?: true, real?: true, cwd?: string, env?: Record<string, string>, commands: string[][] }>} */
export const longRuns = {
  storm: { browser: true, commands: [stories('kills', 'stories')] },
  // All stories whose titles name a size.
  screens: {
    browser: true,
    real: true,
    env: { ROUNDHOUSE_SCREENS: 'all' },
    commands: [[tool('playwright'), 'test', '--grep', String.raw`at \d+ px`]],
  },
  matrix: {
    browser: true,
    real: true,
    env: { ROUNDHOUSE_MATRIX: 'all' },
    commands: [
      vitest(
        'kill-matrix',
        'crash-points',
        'faults/erasing',
        'resume-ladder',
        'prompt-at-the-end',
        'real/places',
        'real/background-commands',
        'real/outputs',
      ),
      stories('crash', 'real'),
      stories('session', 'real'),
    ],
  },
  programs: {
    real: true,
    cwd: '.',
    env: { ROUNDHOUSE_PROGRAMS: 'all' },
    commands: [vitest('real-opencode', 'real-gemini', 'real-acp')],
  },
  'more-programs': {
    real: true,
    cwd: '.',
    env: { ROUNDHOUSE_MORE_PROGRAMS: '1' },
    commands: [vitest('more/real-')],
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
    const { env = {}, cwd = 'e2e', commands, ...needs } = longRuns[name]
    Object.assign(process.env, env)
    const prepared = await prepare(needs)
    for (const command of commands) {
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
