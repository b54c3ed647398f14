// npm test: installs and builds what is missing, runs everything, and ends with one plain line over all runners.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { inRoot } from '../common/paths.mjs'
import { PlainError, run, seconds, tool } from '../common/run.mjs'
import { ensureBuilt, generateClient } from '../setup/build.mjs'
import { ensureChromium } from '../setup/chromium.mjs'
import { ensureInstalled } from '../setup/install.mjs'
import { addUp, closingLine, isGreen, namedLines, nothing, readPlaywrightReport, readVitestReport } from './totals.mjs'

const usage = 'usage: npm test -- [--only unit|faults|e2e|real] [--grep TEXT] [--more]'
const reports = inRoot('test-results')
const say = (line) => console.log(line)
const isBuildServer = () => !['', '0', 'false', undefined].includes(process.env.CI)

/** A build server tries a failed test once more and names it; here a failure is looked at when it happens. */
const tries = () => (isBuildServer() ? 1 : 0)

const readReport = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null)

/** Runs one stage and leaves one line with its time; a refusal of an expected sort ends the whole run. */
async function stage(title, work) {
  const begun = performance.now()
  say(`\n# ${title}`)
  const { note, totals = nothing } = await work()
  say(`# ${title}: ${note ?? closingLine(totals)} (${seconds(begun)})`)
  return totals
}

function readArguments(argv) {
  const options = { only: { type: 'string' }, grep: { type: 'string' }, more: { type: 'boolean' } }
  const { only, grep, more } = parseArgs({ args: argv, options }).values
  if (only !== undefined && !['unit', 'faults', 'e2e', 'real'].includes(only)) throw new PlainError(usage)
  // The second set of real programs. Every process of the run reads it.
  if (more) process.env.ROUNDHOUSE_MORE_PROGRAMS = '1'
  return { wants: (part) => only === undefined || only === part, grep }
}

/** Without `projects` all of the root's; otherwise those of `e2e`. */
async function runVitest(grep, projects = []) {
  const file = `${reports}/vitest-${projects[0] ?? 'unit'}.json`
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, `--retry=${tries()}`]
  args.push(...projects.flatMap((project) => ['--project', project]))
  const { code } = await run([tool('vitest'), ...args, ...(grep ? ['-t', grep] : [])], {
    show: true,
    cwd: inRoot(projects.length > 0 ? 'e2e' : '.'),
  })
  return { totals: readVitestReport(readReport(file), code, grep === undefined) }
}

async function runPlaywright(projects, grep, env) {
  const file = `${reports}/stories.json`
  const args = ['test', '--config', 'playwright.config.ts', '--reporter=list,json', `--retries=${tries()}`]
  args.push(...projects.map((project) => `--project=${project}`))
  const { code } = await run([tool('playwright'), ...args, ...(grep ? ['--grep', grep, '--pass-with-no-tests'] : [])], {
    show: true,
    cwd: inRoot('e2e'),
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
  })
  return { totals: readPlaywrightReport(readReport(file), code) }
}

/**
 * The pinned programs. Where one cannot be had its tests skip themselves and say why; a build server has
 * no such excuse.
 */
async function installRealBackends() {
  const script = await import(pathToFileURL(inRoot('e2e/real-backends/install.mjs')).href)
  say('Looking for the pinned programs; installing them takes a while and about 1 GB (another 1 GB with --more).')
  const backends = await script.installRealBackends()
  const note = script.describeBackends(backends)
  const missing = Object.values(backends).filter((one) => 'skipped' in one).length
  if (missing === 0 || !isBuildServer()) return { note }
  return { note: `${note} (a failure, because CI is set)`, totals: { ...nothing, failed: missing } }
}

async function runAll({ wants, grep }) {
  const all = []
  const add = async (title, work) => all.push(await stage(title, work))
  let CHROMIUM_PATH = ''

  await add('packages', async () => ({ note: await ensureInstalled(say) }))
  const browser = wants('e2e') || wants('real')
  const built = browser || wants('faults')
  if (browser) {
    await add('browser', async () => {
      CHROMIUM_PATH = await ensureChromium(say, { buildServer: isBuildServer() })
      return { note: CHROMIUM_PATH }
    })
  }
  // One waits for the network, the other for the processors.
  await Promise.all([
    wants('real') && add('real backends', installRealBackends),
    add('build', async () => ({ note: await (built ? ensureBuilt(say) : generateClient()) })),
  ])
  if (wants('unit')) await add('unit, simulator, adapters, architecture', () => runVitest(grep))
  // Scripted and real backends in one run each: towards its end a run leaves processors idle.
  const ofWanted = (parts) => Object.entries(parts).flatMap(([part, project]) => (wants(part) ? [project] : []))
  const faults = ofWanted({ real: 'real', faults: 'faults' })
  if (wants('faults')) faults.push('faults-alone')
  if (faults.length > 0) await add('faults, on real processes', () => runVitest(grep, faults))
  const stories = ofWanted({ real: 'real', e2e: 'stories' })
  if (stories.length > 0) await add('browser stories', () => runPlaywright(stories, grep, { CHROMIUM_PATH }))
  return all
}

export async function runTests(argv) {
  try {
    const wanted = readArguments(argv)
    rmSync(reports, { recursive: true, force: true })
    mkdirSync(reports, { recursive: true })
    await run([process.execPath, inRoot('scripts/rules.mjs'), '--check'])
    const totals = addUp(await runAll(wanted))
    for (const line of ['', ...namedLines(totals)]) say(line)
    say(`\n${closingLine(totals)}`)
    process.exitCode = isGreen(totals) ? 0 : 1
  } catch (error) {
    console.error(error instanceof PlainError || error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error)
    say(`\n${closingLine({ ...nothing, failed: 1 })}`)
    process.exitCode = 1
  }
}
