/**
 * Random kills during streaming turns: a hundred in `npm run storm`, fewer in `npm test`. Afterwards four accounts must agree: the ground truth that the script
 * wrote by itself, the agent's log, the hub's table, and what the browser shows.
 *
 * ROUNDHOUSE_KILLS and ROUNDHOUSE_SEED choose another storm.
 */
import path from 'node:path'
import type { HubClient } from '@roundhouse/hub-client'
import {
  blocksOf,
  eventsOf,
  logOf,
  progressOf,
  readAll,
  shownBy,
  tableOf,
  textsOf,
  truthOf,
} from '../support/accounts/ledger'
import { expect, Person, test } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { seeded } from '../support/common/random'
import { until } from '../support/common/until'
import { type System, startSystem } from '../support/processes/system'

const KILLS = Number(process.env.ROUNDHOUSE_KILLS ?? (process.env.npm_lifecycle_event === 'storm' ? 100 : 12))
const SEED = Number(process.env.ROUNDHOUSE_SEED ?? 20_261)
/** A machine that does much else at the same time. */
const PATIENCE_MS = 180_000
const LAST_TURN = 9_999

type Victim = 'host' | 'daemon' | 'hub'
const victims: Victim[] = ['host', 'daemon', 'hub']

// Minutes of everything that a page heard would be no help to anybody.
test.use({ trace: 'off' })

test('[I1] [I2] [I3] [I5] [VIEW-6] [F4] random kills lose nothing, double nothing and keep the order, and a page that saw it all shows what a fresh one shows', async ({
  page,
}) => {
  test.setTimeout(60 * 60_000)
  const truth = path.join(freshFolder('truth'), 'truth.jsonl')
  const system = await startSystem('scripted', { env: { ROUNDHOUSE_SCRIPT_TRUTH: truth } })
  const client = await system.hub.client()
  try {
    const person = new Person(page, system)
    await person.open()
    const storm = new Storm(system, client.rest, await person.startSession(turn(0)))
    const begun = performance.now()
    await storm.rage()
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
    const head = await storm.settle()

    const rows = logOf(system.agent.sessionFolder(storm.sessionId))
    const log = eventsOf(rows)
    const table = tableOf(system.hub.dataDir, storm.sessionId)
    const rest = await readAll(client.rest, storm.sessionId)
    const wrote = truthOf(truth)
    const hasAll = async () => (await page.getByTestId('session').getAttribute('data-head')) === String(head)
    await until('the page that saw it all to have the whole log', hasAll, PATIENCE_MS)
    const lived = await shownBy(page)
    await page.reload()
    await until('a fresh page to have the whole log', hasAll, PATIENCE_MS)
    const fresh = await shownBy(page)

    const { host, daemon, hub } = storm.killed
    const recovered = log.filter((event) => 'recovered' in event && event.recovered).length
    const cut = textsOf(log).filter((text) => text.cut).length
    console.log(
      `seed ${SEED}: ${host + daemon + hub} kills (host ${host}, daemon ${daemon}, hub ${hub}) in ${minutes} min, ` +
        `${storm.turns} turns, ${rows.length} events\n` +
        `  finished blocks: script ${wrote.length}, log ${blocksOf(log).length} (${recovered} recovered), ` +
        `table ${blocksOf(eventsOf(table)).length}\n` +
        `  texts, of them cut short: log ${textsOf(log).length}, ${cut}; page ${lived.texts.length}, ` +
        `${lived.texts.filter((text) => text.cut).length}; fresh page ${fresh.texts.length}`,
    )
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
    expect(blocksOf(log)).toEqual(wrote)
    expect(table).toEqual(rows)
    expect(rest.map(({ seq, hash, body }) => ({ seq, hash, body }))).toEqual(rows)
    expect(lived).toMatchObject({ texts: textsOf(log), wrong: 0 })
    expect(lived.items.length).toBeGreaterThan(lived.texts.length)
    expect(fresh).toEqual(lived)
    // What was cut short is the true beginning of something that was never finished.
    for (const { text } of textsOf(log).filter((one) => one.cut)) {
      expect(streamedText(Number(text.split(' ')[1])).startsWith(text)).toBe(true)
      expect(wrote).not.toContain(`assistant_text ${text}`)
    }
    expect(log.filter(({ kind }) => kind === 'turn_started')).toHaveLength(
      log.filter(({ kind }) => kind === 'turn_completed').length,
    )
  } finally {
    client.close()
    await system.dispose()
  }
})

const streamedText = (n: number) => `turn ${n} streams ${Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ')}`
const lastText = (n: number) => `turn ${n} end 15`

/** Numbered texts, thoughts, a call, and a text that streams: about three seconds. */
const turn = (n: number) =>
  `Count. SCRIPT: ${JSON.stringify([
    { count: { to: 25, delayMs: 15, prefix: `turn ${n} text` } },
    { thinking: `turn ${n} thinks of something to stream` },
    { tool: 'Read', input: { file_path: `notes-${n}.txt` }, output: 'nothing', tookMs: 150 },
    { text: streamedText(n), chunk: 9, delayMs: 25 },
    { tools: [1, 2].map((call) => ({ name: 'Read', input: { call }, output: 'nothing', tookMs: 80 })) },
    { count: { to: 15, delayMs: 20, prefix: `turn ${n} end` } },
  ])}`

/** Kills one process after another, or two at once, each in a running turn, after a random number of events. */
class Storm {
  readonly killed: Record<Victim, number> = { host: 0, daemon: 0, hub: 0 }
  turns = 1

  constructor(
    readonly system: System,
    readonly rest: HubClient['rest'],
    readonly sessionId: string,
  ) {}

  async rage(): Promise<void> {
    const random = seeded(SEED)
    await until('the log to begin', () => this.progress().inTurn, PATIENCE_MS)
    while (this.count < KILLS) {
      const goal = this.progress().head + 1 + random(20)
      await until(
        'a turn to go on',
        async () => {
          const { head, inTurn } = this.progress()
          if (!inTurn && (await this.isQuiet())) await this.prompt(this.turns++)
          return inTurn && head >= goal
        },
        PATIENCE_MS,
      )
      const first = random(victims.length)
      const second = (first + 1 + random(victims.length - 1)) % victims.length
      const both = random(3) === 0 && this.count < KILLS - 1
      await this.kill(victims.filter((_, index) => index === first || (both && index === second)))
    }
  }

  /** One more turn to its end, so that whatever died last has been closed too. Resolves to the last number. */
  async settle(): Promise<number> {
    await until('the last turn to end', () => this.isQuiet(), PATIENCE_MS)
    await this.prompt(LAST_TURN)
    return until(
      'the closing turn',
      async () => {
        const log = this.progress()
        const { session, head } = await this.rest.snapshot(this.sessionId, 1)
        return head === log.head && !log.inTurn && session.lastLine.includes(lastText(LAST_TURN)) ? head : null
      },
      PATIENCE_MS,
    )
  }

  private get count(): number {
    return this.killed.host + this.killed.daemon + this.killed.hub
  }

  private progress(): { head: number; inTurn: boolean } {
    return progressOf(this.system.agent.sessionFolder(this.sessionId))
  }

  private async kill(chosen: readonly Victim[]): Promise<void> {
    const { hub, agent } = this.system
    if (chosen.includes('host') && agent.killHost(this.sessionId)) this.killed.host++
    const others = { hub, daemon: agent }
    for (const victim of ['hub', 'daemon'] as const) {
      if (!chosen.includes(victim)) continue
      await others[victim].kill()
      this.killed[victim]++
    }
    if (chosen.includes('hub')) await hub.start()
    if (chosen.includes('daemon')) await agent.start()
  }

  private async prompt(n: number): Promise<void> {
    await this.rest.prompt(this.sessionId, { promptId: `p_${n}`, text: turn(n) }, `prompt-${n}-of-the-storm`)
  }

  /** Neither a turn nor a prompt on its way. */
  private async isQuiet(): Promise<boolean> {
    const { session } = await this.rest.snapshot(this.sessionId, 1)
    const onTheWay = session.commands.some(({ state }) => state === 'pending' || state === 'sent')
    return session.agentOnline && session.turnId === undefined && session.queue.length === 0 && !onTheWay
  }
}
