/** Where the output of a session's program goes: live text, the log, the last raw lines, and what runs beside the turns. */
import { BackgroundControl } from './output/background-control'
import { BackgroundTasks, TaskList } from './output/background-tasks'
import { LiveBlocks } from './output/live-blocks'
import { OutputRecorder } from './output/output-recorder'
import { RawRing } from './output/raw-ring'
import { TaskOutputs } from './output/task-outputs'
import { ProgramIds } from './program/program-ids'
import type { SessionBasis } from './session-basis'

export class SessionOutput {
  readonly ids = new ProgramIds()
  readonly live: LiveBlocks
  readonly background: BackgroundTasks
  readonly control: BackgroundControl
  readonly recorder: OutputRecorder
  private readonly outputs: TaskOutputs
  private readonly ring: RawRing

  constructor({ ports, standing, journal, conversation, runner, turns, signals }: SessionBasis) {
    const { launch, files, redact, now, daemon } = ports
    this.live = new LiveBlocks({
      sessionId: launch.sessionId,
      folder: files.spool,
      redact,
      send: (frames) => daemon.broadcast({ type: 'live', frames }),
    })
    const tasks = new TaskList()
    this.outputs = new TaskOutputs({
      live: this.live,
      lastSeq: () => journal.log.lastSeq,
      running: () => tasks.callIds,
      denied: () => {
        const { denyPaths = [], agentPlaces = [] } = standing.policy
        return [...denyPaths, ...agentPlaces]
      },
    })
    const clean = (text: string) => redact(text).text
    this.background = new BackgroundTasks(tasks, now, clean, (callId) => this.outputs.printed(callId))
    this.ring = new RawRing(files.rawRing, launch.ringBytes)
    const { live, outputs, background, ids } = this
    const { changed } = signals
    this.control = new BackgroundControl({ journal, runner, tasks: background, outputs, live, ids, changed })
    const turnId = () => turns.current?.turnId
    this.recorder = new OutputRecorder({ journal, conversation, live, outputs, ring: this.ring, redact, turnId })
  }

  dispose(): void {
    this.outputs.dispose()
    this.ring.close()
  }
}
