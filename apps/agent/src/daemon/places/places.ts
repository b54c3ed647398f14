/**
 * The places among this machine's running programs: who has one, who waits for one, and which hosts may exit in the
 * meantime. A prompt can be accepted without a place, and then waits on the disk; a resume needs its program now.
 */
import { existsSync } from 'node:fs'
import { BY_ITSELF, type Command, type HostState, isLack, toCodedError, type Waits } from '@roundhouse/backend-types'
import type { AgentHome } from '../../files/agent-home'
import { sessionFiles } from '../../host-contract/paths'
import { markGivenUp, markStopped } from '../../host-contract/stopped-mark'
import type { DiskWatch } from '../home/disk-watch'
import { HomePlace } from '../home/home-place'
import { HostCrowd } from '../hosts/host-crowd'
import type { Supervisor } from '../hosts/supervisor'
import { notNow, QueueWaker } from './queue-waker'
import { ResumeWaker } from './resume-waker'
import { RunningLimit } from './running-limit'
import { WaitingNotes } from './waiting-notes'

export interface PlacesPorts {
  limit(): number
  supervisor(): Supervisor
  folder(sessionId: string): string
  /** What the last host of the session reported when it ended. */
  lastState(sessionId: string): HostState | null
  now(): number
  disk: Pick<DiskWatch, 'account' | 'mayBeWhy'>
  home: Pick<AgentHome, 'state' | 'placeFile'>
  /** The list of waiting sessions changed. */
  tell(): void
  log(line: string): void
}

export class Places {
  private readonly limit: RunningLimit
  private readonly waker: QueueWaker
  private readonly resumes: ResumeWaker
  private readonly crowd: HostCrowd
  private readonly notes: WaitingNotes
  private readonly home: HomePlace
  private looking = false

  constructor(private readonly ports: PlacesPorts) {
    const { supervisor, log } = ports
    this.notes = new WaitingNotes(ports.folder, ports.now)
    const isPassing = (error: unknown) => isLack(error) || ports.disk.mayBeWhy(error) !== null
    const running = () => supervisor().running()
    this.limit = new RunningLimit(
      ports.limit,
      running,
      () => ports.tell(),
      (sessionId) => supervisor().looked.has(sessionId),
    )
    this.waker = new QueueWaker({
      enter: (sessionId, commandId) => this.limit.enter(sessionId, commandId, 'accepted'),
      entered: (sessionId) => this.limit.entered(sessionId),
      withdraw: (sessionId) => this.limit.withdraw(sessionId),
      start: (sessionId) => supervisor().begin(sessionId),
      note: (sessionId, commandId) => this.notes.tryToAdd(sessionId, commandId),
      forget: (sessionId) => this.notes.remove(sessionId),
      isPassing,
      log,
    })
    this.home = new HomePlace(ports.home.state, ports.home.placeFile)
    if (this.home.isOther) this.waker.hold()
    this.resumes = new ResumeWaker({
      enter: (sessionId) => this.limit.enter(sessionId, BY_ITSELF, 'spare'),
      entered: (sessionId) => this.limit.entered(sessionId),
      withdraw: (sessionId) => this.limit.withdraw(sessionId, 'spare'),
      start: (sessionId) => supervisor().begin(sessionId),
      giveUp: (sessionId) => {
        markGivenUp(ports.folder(sessionId))
        return supervisor().hosted(sessionId).bringUpToDate()
      },
      isPassing: (error) => isPassing(error) || notNow.has(toCodedError(error).code),
      now: ports.now,
      log,
    })
    this.crowd = new HostCrowd(
      () => supervisor().crowd(),
      (sessionId, commandId) => this.notes.add(sessionId, commandId),
      log,
    )
  }

  /**
   * At the daemon's start: wakes prompts that were accepted before and still wait, and sessions that resume by
   * themselves (RES-3).
   */
  wakeNoted(): void {
    if (this.home.isOther) {
      this.ports.log(
        'this state folder is a copy or was moved: nothing starts by itself until the hub has accepted this machine',
      )
      return
    }
    const sessionIds = this.ports.supervisor().sessionIds()
    for (const { sessionId, commandId } of this.notes.find(sessionIds)) void this.waker.wake(sessionId, commandId)
    for (const sessionId of sessionIds.filter((one) => existsSync(this.files(one).resumes))) this.lookAgain(sessionId)
    this.resumes.begin()
  }

  /** The hub has accepted this machine. */
  letIn(): void {
    const waited = this.home.isOther
    this.home.settle()
    if (!waited) return
    this.waker.release()
    this.wakeNoted()
  }

  private files = (sessionId: string) => sessionFiles(this.ports.folder(sessionId))

  private lookAgain(sessionId: string): void {
    const hosted = this.ports.supervisor().known(sessionId)
    const state = hosted?.attached ? hosted.state : this.ports.lastState(sessionId)
    if (state) this.seen(state)
  }

  /** Among waiting sessions, those that somebody watches go first. */
  attention(sessionIds: readonly string[]): void {
    this.ports.supervisor().looked = new Set(sessionIds)
  }

  /** The daemon leaves; the next one handles what waits. */
  stop(): void {
    this.waker.stop()
    this.resumes.stop()
  }

  /** The sessions end on request: none of them resumes by itself, including those without a host. */
  endSessions(): void {
    this.stop()
    const supervisor = this.ports.supervisor()
    const dead = supervisor.recorded().filter((sessionId) => supervisor.known(sessionId)?.attached == null)
    for (const sessionId of new Set([...dead, ...this.resumes.sessions()])) markStopped(this.ports.folder(sessionId))
  }

  waits(): Waits {
    return { ...this.limit.waits(), ...this.ports.disk.account() }
  }

  /** Sessions with a waiting accepted prompt, or that resume by themselves. */
  waiting(): string[] {
    return [...new Set([...this.waker.sessions(), ...this.resumes.sessions()])]
  }

  /** False: no place will be free soon, and the command may be accepted without one. Rejects if it was cancelled. */
  async enter({ sessionId, commandId, body }: Command): Promise<boolean> {
    const hosted = this.ports.supervisor().hosted(sessionId)
    const patience = hosted.heedsPlaces && body.kind !== 'session.resume' ? 'soon' : 'forever'
    const placed = await this.limit.enter(sessionId, commandId, patience)
    if (!placed) await hosted.takePlaceBack()
    if (!placed && hosted.state) this.seen(hosted.state)
    return placed
  }

  entered(sessionId: string): void {
    this.limit.entered(sessionId)
  }

  /** True if the command waited here, so it was never accepted. */
  cancel(commandId: string): boolean {
    return this.limit.cancel(commandId)
  }

  /** Takes a host's account of its session. */
  seen(state: HostState): void {
    const hosted = this.ports.supervisor().known(state.sessionId)
    const place = hosted?.place ?? false
    this.waker.seen(state, { place, lives: hosted?.attached != null })
    this.resumes.seen(state, place)
  }

  /** Takes the state in which a host that died left its session. */
  left(state: HostState): void {
    void this.waker.left(state)
  }

  erased(sessionId: string): void {
    this.waker.erased(sessionId)
    this.resumes.erased(sessionId)
    this.limit.erased(sessionId)
  }

  /** Hosts came, went or became idle. Runs once per turn of the event loop. */
  look(): void {
    if (this.looking) return
    this.looking = true
    setImmediate(() => {
      this.looking = false
      this.limit.look()
      this.crowd.look()
    })
  }
}
