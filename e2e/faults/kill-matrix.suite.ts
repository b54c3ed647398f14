/**
 * Who dies x when, on one backend. One system lives through all of it. Afterwards all accounts agree, every turn has an
 * honest end, every question one outcome, nothing of the queue is lost, and the conversation goes on.
 */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type BackendKind, missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { Cell } from './kill-cell'
import { type Moment, moments, type Victim } from './kill-table'

/** An ordinary run plays these, so that each victim and each moment has its turn. Tab, hub and daemon do not feel which program it is. */
const someOf: Partial<Record<BackendKind, Partial<Record<Victim, Moment>>>> = {
  scripted: {
    tab: 'streaming',
    hub: 'a tool runs',
    daemon: 'a decision is on its way',
    host: 'a prompt is pending',
    program: 'the queue waits',
  },
  claude: { program: 'a decision is on its way' },
  codex: { host: 'streaming' },
}

const momentsOf = (kind: BackendKind, victim: Victim): Moment[] =>
  moments.filter((moment) => wholeMatrix || moment === someOf[kind]?.[victim])

export async function runKillMatrix(kind: BackendKind): Promise<void> {
  const missing = await missingReason(kind)
  const name = `[${kind}] while a session is in whatever state${missing === null ? '' : ` (${missing})`}`
  describe.skipIf(missing !== null)(name, () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    afterAll(() => rig.dispose())

    const play = async (victim: Victim, moment: Moment) => {
      const cell = await Cell.begin(rig)
      await cell.play(victim, moment).finally(() => cell.end())
    }
    const at = (victim: Victim) => momentsOf(kind, victim)
    // A hub or a daemon dies for everybody; the others only for their own session.
    it.each(at('hub'))('[RES-1] [PERM-3] [VIEW-6] the hub dies, at the moment: %s', (moment) => play('hub', moment))
    it.each(at('daemon'))('[RES-1] [PERM-3] the daemon dies, at the moment: %s', (moment) => play('daemon', moment))
    const together = it.concurrent
    together.each(at('tab'))('[VIEW-6] a browser tab is closed and opened anew, at the moment: %s', (moment) =>
      play('tab', moment),
    )
    together.each(at('host'))('[RES-6] [LOG-7] [CMD-5] the host dies, at the moment: %s', (moment) =>
      play('host', moment),
    )
    together.each(at('program'))('[RES-2] [LOG-7] [CMD-5] the program dies, at the moment: %s', (moment) =>
      play('program', moment),
    )
  })
}
