/** One cell of the kill matrix: a session with a turn behind it, brought to a moment, struck, and gone on with. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import type { Row } from '../support/accounts/ledger'
import { openViewer, type Viewer } from '../support/accounts/viewer'
import { until } from '../support/common/until'
import { numbered, toolThatRuns, writeStep } from '../support/processes/backends'
import { isRunning } from '../support/processes/processes'
import type { Rig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'
import { type Account, holds, type Moment, type Victim } from './kill-table'

/** Two seconds: on a machine that does much else it must still stream when it is looked at. */
const words = numbered(120)
const streaming = { text: words, chunk: 12, delayMs: 30 }
/** A program that still finishes what it is at when its host is gone has no time for this one. It begins as the other. */
const endless = { ...streaming, text: numbered(5_000) }
const ownTexts = ['Before.', 'Done.', 'From the queue.', 'After.']
let cells = 0

export class Cell extends Subject {
  /** The file that the tool of this cell writes at its end, for the two moments that have one. */
  private readonly file: string
  private tool: ReturnType<typeof toolThatRuns>

  private constructor(
    rig: Rig,
    sessionId: string,
    private readonly lived: Viewer,
    private tab: Viewer,
  ) {
    super(rig, sessionId)
    cells += 1
    this.file = path.join(rig.system.workDir, `cell-${cells}.txt`)
    this.tool = toolThatRuns(rig.system.kind, this.file)
  }

  static async begin(rig: Rig): Promise<Cell> {
    const sessionId = await rig.begin([{ text: 'Before.' }])
    const viewers = [await openViewer(rig.system.hub, sessionId), await openViewer(rig.system.hub, sessionId)] as const
    const cell = new Cell(rig, sessionId, ...viewers)
    await until('the first turn', () => cell.says('Before.'))
    await rig.agree(sessionId)
    return cell
  }

  async end(): Promise<void> {
    this.lived.close()
    this.tab.close()
    await this.rig.rest.stop(this.sessionId)
  }

  async play(victim: Victim, moment: Moment): Promise<void> {
    const survives = victim !== 'host' && victim !== 'program'
    await this.reach[moment](survives)
    const { programs, pids: before } = this
    await this.kill[victim]()
    await this.carryOn[moment](survives)
    await this.rig.agree(this.sessionId)
    if (!survives) await until('what the dead had started to be gone', () => !programs.some(isRunning))
    await this.rig.prompt(this.sessionId, [{ text: 'After.' }])
    await until('the next turn', () => this.says('After.'))
    const rows = await this.rig.agree(this.sessionId)

    const program = before.backendPid === this.pids.backendPid ? 'the same' : 'gone'
    expect(holds(moment, victim, this.tool.asks)).toContainEqual({ ...this.account(), program })
    expect(this.of('turn_started')).toHaveLength(this.of('turn_completed').length)
    expect(this.of('permission_resolved')).toHaveLength(this.of('permission_requested').length)
    expect(new Set(this.of('session_started').map((one) => one.backendSessionId)).size).toBe(1)
    await this.checkViewers(rows)
  }

  /** Brings the session to this moment. */
  private readonly reach: Record<Moment, (survives: boolean) => Promise<unknown>> = {
    idle: async () => {},
    streaming: async (survives) => {
      await this.rig.prompt(this.sessionId, [survives ? streaming : endless])
      await until('some text', () => this.lived.live().includes('word4'))
    },
    'a tool runs': async (survives) => {
      this.tool = toolThatRuns(this.rig.system.kind, this.file, { ends: survives })
      await this.rig.prompt(this.sessionId, [this.tool.step, { text: 'Done.' }])
      if (this.tool.asks) await this.allow()
      await until('the call', () => this.of('tool_use').length > 0 && this.tool.runs())
    },
    'a prompt is pending': async () => {
      await this.rig.prompt(this.sessionId, this.asking)
      await this.openAsk()
    },
    'a decision is on its way': async () => {
      await this.rig.prompt(this.sessionId, this.asking)
      await this.allow()
    },
    'the queue waits': async (survives) => {
      await this.rig.prompt(this.sessionId, [survives ? streaming : endless])
      await this.rig.prompt(this.sessionId, [{ text: 'From the queue.' }])
      await until(
        'the queue',
        async () => (await this.session()).queue.length === 1 && this.lived.live().includes('word2'),
      )
    },
  }

  private readonly kill: Record<Victim, () => Promise<unknown>> = {
    tab: async () => {
      this.tab.close()
      this.tab = await openViewer(this.rig.system.hub, this.sessionId)
    },
    hub: async () => {
      await this.rig.system.hub.kill()
      await this.rig.system.hub.start()
    },
    daemon: async () => {
      await this.rig.system.agent.kill()
      await this.rig.system.agent.start()
    },
    host: () => this.killHost(),
    program: () => this.killProgram(),
  }

  /** What was waiting when it happened goes on, by itself or by a person's word. */
  private readonly carryOn: Record<Moment, (survives: boolean) => Promise<unknown>> = {
    idle: async () => {},
    streaming: async () => {},
    'a tool runs': async (survives) => {
      if (survives) this.tool.release()
    },
    'a prompt is pending': async (survives) => {
      if (survives) await this.allow()
    },
    'a decision is on its way': async () => {},
    'the queue waits': async (survives) => {
      if (!survives) {
        await until('the queue to be held', async () => {
          const { queue, queueHeld } = await this.session()
          return queueHeld && queue.length === 1
        })
        await this.rig.rest.queue(this.sessionId, { op: 'release' })
      }
      await until('the queued prompt to be played', () => this.says('From the queue.'))
    },
  }

  /** The program is told apart by its pid, which only the caller knew before. */
  private account(): Omit<Account, 'program'> {
    const [, ...ends] = this.of('turn_completed').map(({ reason }) => reason)
    expect(ends.pop()).toBe('completed')
    return {
      ends,
      outcomes: this.of('permission_resolved').map(({ outcome }) => outcome),
      streamed: this.streamed(),
      tool: existsSync(this.file) ? 'finished' : 'not',
    }
  }

  private streamed(): Account['streamed'] {
    const texts = this.of('assistant_text').filter(({ text }) => !ownTexts.includes(String(text)))
    if (texts.length === 0) return 'none'
    expect(texts).toHaveLength(1)
    const [{ text, partial } = { text: '' }] = texts
    if (partial) expect(endless.text.startsWith(String(text))).toBe(true)
    else expect(text).toBe(words)
    return partial ? 'cut' : 'whole'
  }

  private async checkViewers(rows: readonly Row[]): Promise<void> {
    const fresh = await openViewer(this.rig.system.hub, this.sessionId)
    const head = rows.at(-1)?.seq ?? 0
    await Promise.all([this.lived, this.tab, fresh].map((viewer) => viewer.reaches(head)))
    expect(fresh.shown().map(({ seq, event }) => ({ seq, event }))).toEqual(
      rows.map(({ seq, body }) => ({ seq, event: JSON.parse(body) })),
    )
    expect(this.lived.shown()).toEqual(fresh.shown())
    expect(this.tab.shown()).toEqual(fresh.shown())
    fresh.close()
  }

  private get asking(): object[] {
    return [writeStep(this.rig.system.kind, this.file, 'written'), { text: 'Done.' }]
  }
}
