/**
 * How long a line of a program that speaks the Agent Client Protocol takes to a viewer's socket and into a page of Chromium: program,
 * adapter, host, daemon and hub, for an event with every fsync. Beside it the scripted program, whose adapter is the shortest way.
 * Prints one line of JSON. All ends have one clock.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { type HubClient, SessionWatch } from '@roundhouse/hub-client'
import config from '../e2e/playwright.config'
import { until } from '../e2e/support/common/until'
import { signInPage } from '../e2e/support/processes/browser-login'
import { type System, startSystem } from '../e2e/support/processes/system'
import { quiet } from './lib/machine.mjs'
import { withPrinters } from './lib/printers'
import { percentiles, sleep } from './lib/util.mjs'

const WARM_UP = 50
const MEASURED = 250
const PACE_MS = 20
const LIMIT_MS = 120_000

const all = WARM_UP + MEASURED
/** Every second line is a piece of an answer, the others are plans. */
const ofPrinter = `print ${2 * all} ${PACE_MS}`
const ofScript = `SCRIPT: ${JSON.stringify([{ count: { to: all, delayMs: PACE_MS, stamp: true } }])}`

const now = () => performance.timeOrigin + performance.now()

/** When each line was first seen, by the time at which it was printed. */
class Lines {
  private readonly seen = new Map<number, number>()

  /** Of a text that was cut nothing is kept; these are short. */
  note(text: unknown): void {
    const stamp = / @(\d+\.\d+)/.exec(typeof text === 'string' ? text : '')?.[1]
    if (stamp !== undefined && !this.seen.has(Number(stamp))) this.seen.set(Number(stamp), now())
  }

  get result() {
    return latencies([...this.seen])
  }
}

/** Without the first ones. */
const latencies = (lines: Array<[number, number]>) =>
  percentiles(
    lines
      .toSorted(([a], [b]) => a - b)
      .slice(WARM_UP)
      .map(([printed, shown]) => shown - printed),
  )

/** Starts the session and resolves when it is watched; `lines` get what its next turn prints. */
async function watched(client: HubClient, system: System, backend: string) {
  const { rest, socket } = client
  const agentId = (await rest.agents()).items[0]?.agentId ?? ''
  const settings = { backend, workDir: system.workDir }
  const { sessionId } = await rest.createSession({ agentId, settings, prompt: 'print 2 0 SCRIPT: [{"text":"Ready."}]' })
  const lines = { live: new Lines(), event: new Lines() }
  let turns = 0
  const watch = new SessionWatch(sessionId, rest, socket, {
    onReset: (_snapshot, events) => {
      turns += events.filter(({ event }) => event?.kind === 'turn_completed').length
    },
    onEvents: (events) => {
      for (const { event } of events) {
        if (event?.kind === 'turn_completed') turns += 1
        if (event?.kind === 'plan') lines.event.note(event.items[0]?.text)
        // A piece of an answer may be over before its live text was sent.
        if (event?.kind === 'assistant_text') lines[backend === 'printer' ? 'live' : 'event'].note(event.text)
      }
    },
    onBlocks: ({ open }) => {
      for (const { text } of open) lines.live.note(text)
    },
    onSession: () => {},
    onRefused: (error) => {
      throw error
    },
  })
  await until('the first turn', () => turns === 1, LIMIT_MS)
  const turn = async (text: string) => {
    await rest.prompt(sessionId, { promptId: 'measured', text })
    await until('the lines', () => turns === 2, LIMIT_MS)
  }
  return { sessionId, lines, turn, close: () => watch.close() }
}

async function toSocket(client: HubClient, system: System, backend: string, prompt: string) {
  const { lines, turn, close } = await watched(client, system, backend)
  await turn(prompt)
  close()
  return { live: lines.live.result, event: lines.event.result }
}

async function toPage(client: HubClient, system: System) {
  const { executablePath, ...launch } = config.use?.launchOptions ?? {}
  if (!executablePath || !existsSync(executablePath)) return { missing: 'there is no Chromium' }
  const { sessionId, turn, close } = await watched(client, system, 'printer')
  const browser = await chromium.launch({ ...launch, executablePath })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript({ path: fileURLToPath(new URL('lib/seen-lines.js', import.meta.url)) })
    await signInPage(page, system.hub.url)
    await page.goto(`${system.hub.url}/sessions/${sessionId}`)
    await page.getByLabel('Prompt').waitFor()
    await turn(ofPrinter)
    await sleep(1_000)
    return latencies(await page.evaluate<Array<[number, number]>>('linesSeen()'))
  } finally {
    await browser.close()
    close()
  }
}

const system = await startSystem('scripted')
let result: object
try {
  await withPrinters(system)
  const client = await system.hub.client()
  await quiet({ maxWait: 10_000 })
  const scripted = await toSocket(client, system, 'scripted', ofScript)
  const acp = await toSocket(client, system, 'printer', ofPrinter)
  result = { scripted, acp, page: await toPage(client, system) }
  client.close()
} catch (error) {
  result = { error: String(error) }
} finally {
  await system.dispose()
}
console.log(JSON.stringify(result))
process.exit()
