/**
 * What `--hard` adds to the world: in each machine a victim, whose files are damaged; a third machine on a small disk that
 * fills up; a fourth with a crowd of sessions that all wait when it returns. The sessions of the other accounts are the
 * neighbours: nothing of this may be felt by them.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { eventsOf, tableOf, textsOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { flipBit, overwrite, PAGE_BYTES } from '../support/damage/damage'
import { type SmallDisk, smallDisk } from '../support/damage/failing-disk'
import { scriptOf } from '../support/rigs/rig'
import type { Fault } from './storm'
import { type ChaosSession, type Machine, startMachine, startSession, type World } from './world'

const CROWD = 60
const DISK_MIB = 96
/** Of an answer that says no new prompt can be taken now: the disk is full, the log is damaged. */
const PATIENCE_MS = 120_000

export interface Hardness {
  faults: Fault[]
  /** Room on the disk again. */
  calm(): void
  /** Rows of the table that nothing else counts: name, what was seen, what must be. */
  reckon(): Promise<Array<[string, number, number]>>
  dispose(): Promise<void>
}

/** The place of the third machine, before the world begins. */
export function makeSmallDisk(): SmallDisk {
  const disk = smallDisk(DISK_MIB)
  if (typeof disk === 'string') throw new Error(disk)
  return disk
}

export async function makeHard(world: World, disk: SmallDisk, random: (below: number) => number): Promise<Hardness> {
  const victims: ChaosSession[] = []
  for (const machine of world.machines) victims.push(await startSession(world.rest, machine, 9))
  const crowd = await Crowd.gather(world)
  const damage = async () => {
    const victim = victims[random(victims.length)] as ChaosSession
    const file = path.join(
      victim.machine.process.sessionFolder(victim.sessionId),
      random(2) === 0 ? 'log.db' : 'log.db-wal',
    )
    if (existsSync(file)) damageFile(file, random)
    // Whether it is taken is of no interest here: at the end it must be.
    await speak(world, victim).catch(() => {})
  }
  const fill = async () => {
    disk.fill()
    await wait(500 + random(5_000))
    disk.free()
  }
  return {
    faults: [
      ['log damaged', 4, damage],
      ['disk full', 3, fill],
      ['crowd returns', 3, () => crowd.returns()],
    ],
    calm: () => disk.free(),
    reckon: async () => {
      const mute: string[] = []
      for (const victim of victims) if (!(await answers(world, victim))) mute.push(victim.sessionId)
      if (mute.length > 0) console.error(`damaged sessions that do not continue: ${mute.join(', ')}`)
      await crowd.rests()
      return [
        ['damaged sessions that do not continue', mute.length, 0],
        ['prompts of the returning machine without an answer', crowd.unanswered(), 0],
        ['prompts of the returning machine answered twice', crowd.answeredTwice(), 0],
      ]
    },
    dispose: async () => {
      await crowd.machine.process.stop()
    },
  }
}

/** A few bits anywhere, or half a page. */
function damageFile(file: string, random: (below: number) => number): void {
  const { size } = statSync(file)
  if (size === 0) return
  if (random(2) === 0) for (let n = 0; n < 8; n += 1) flipBit(file, random(size), random(8))
  else overwrite(file, Math.floor(random(size) / PAGE_BYTES) * PAGE_BYTES, Buffer.alloc(PAGE_BYTES / 2))
}

/** One more turn of this session; rejects where it is not taken. Returns the word by which its answer is known. */
async function speak({ rest }: World, session: ChaosSession): Promise<string> {
  const word = `${session.label}-${++session.turns}`
  const body = { promptId: `p_${word}`, text: scriptOf([{ text: `${word} speaks` }]) }
  await rest.prompt(session.sessionId, body, `key-of-${word}`)
  return word
}

/** Speaks until one of its prompts was answered; false when nobody waits any longer. */
async function answers(world: World, session: ChaosSession): Promise<boolean> {
  const words: string[] = []
  let spoke = 0
  return until(
    `${session.label} to answer`,
    async () => {
      if (performance.now() - spoke > 5_000) {
        spoke = performance.now()
        words.push(await speak(world, session))
      }
      const said = JSON.stringify(eventsOf(tableOf(world.hub.dataDir, session.sessionId)))
      return words.some((word) => said.includes(`"${word} speaks"`))
    },
    PATIENCE_MS,
  ).then(
    () => true,
    () => false,
  )
}

class Crowd {
  readonly #prompts: string[] = []

  private constructor(
    private readonly world: World,
    readonly machine: Machine,
    private readonly sessions: ChaosSession[],
  ) {}

  static async gather(world: World): Promise<Crowd> {
    const machine = await startMachine(world.hub, world.rest, 'machine-crowd')
    const sessions: ChaosSession[] = []
    for (let n = 1; n <= CROWD; n += 1) sessions.push(await startSession(world.rest, machine, n))
    return new Crowd(world, machine, sessions)
  }

  /** Its machine goes away, all are prompted meanwhile, and it comes back. */
  async returns(): Promise<void> {
    await this.machine.process.kill()
    for (const session of this.sessions) {
      const word = await speak(this.world, session)
      this.#prompts.push(word)
    }
    this.machine.process.launch()
  }

  /** Waits for as long as more of them answer: how long that takes is up to the machine. */
  async rests(): Promise<void> {
    for (let left = this.unanswered(); left > 0; ) {
      const before = left
      const fewer = until('more of the crowd to answer', () => this.unanswered() < before, PATIENCE_MS)
      if (!(await fewer.catch(() => false))) return this.tell()
      left = this.unanswered()
    }
  }

  /** What those are at that have not answered. */
  private async tell(): Promise<void> {
    const counts = this.#counts()
    for (const { sessionId, label } of this.sessions) {
      const missing = this.#prompts.filter((word) => word.startsWith(`${label}-`) && !counts.has(word))
      if (missing.length === 0) continue
      const { session } = await this.world.rest.snapshot(sessionId, 1)
      const { status, turnId, queue, queueHeld, commands } = session
      console.error(
        `${sessionId} has not answered ${missing.join(', ')}: ${JSON.stringify({ status, turnId, queue, queueHeld, commands })}`,
      )
    }
  }

  unanswered(): number {
    const counts = this.#counts()
    return this.#prompts.filter((word) => !counts.has(word)).length
  }

  answeredTwice(): number {
    return [...this.#counts().values()].filter((count) => count > 1).length
  }

  #counts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { sessionId } of this.sessions) {
      for (const { text } of textsOf(eventsOf(tableOf(this.world.hub.dataDir, sessionId)))) {
        const word = /^(\S+) speaks$/.exec(text)?.[1]
        if (word) counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
    return counts
  }
}
