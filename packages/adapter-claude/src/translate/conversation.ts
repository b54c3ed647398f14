/**
 * Which conversation the CLI works on, and in which mode. Each `init` says both; a mode that changes is said by a `status` of its
 * own as soon as it does.
 */
import { type Frame, textAt } from '../wire/frames'
import { FailedServers } from './failed-servers'
import { initOutput } from './outputs'
import type { Translated } from './translated'

export class Conversation {
  private readonly failedServers = new FailedServers()
  private lastInit = ''
  /** The CLI has emptied its conversation; the id of the new one comes with the next init. */
  private cleared = false

  /** `emptied`: the model knows nothing any more of what was said. */
  constructor(
    private sessionId: string,
    private current: string | undefined,
    private readonly emptied: () => void,
  ) {}

  get id(): string {
    return this.sessionId
  }

  get mode(): string | undefined {
    return this.current
  }

  /** It was told to go on in this mode; gives back the one before. */
  told(mode: string | undefined): string | undefined {
    const before = this.current
    this.current = mode
    return before
  }

  /** The id that a `conversation_reset` names is not the one that can be resumed. */
  reset(): void {
    this.cleared = true
  }

  modeIn(frame: Frame): Translated[] {
    const mode = textAt(frame, 'permissionMode')
    if (mode === undefined) return []
    const before = this.told(mode)
    return before === undefined || before === mode ? [] : [{ type: 'mode', mode }]
  }

  /** Told once, and again when something in it changed: the mode after a plan was approved, for example. */
  init(frame: Frame): Translated[] {
    const output = initOutput(frame)
    const text = JSON.stringify(output)
    const told: Translated[] = text === this.lastInit ? [] : [{ type: 'output', output }]
    this.lastInit = text
    return [...this.moved(textAt(frame, 'session_id')), ...this.modeIn(frame), ...told, ...this.failedIn(frame)]
  }

  private failedIn(init: Frame): Translated[] {
    const names = this.failedServers.newIn(init)
    return names.length === 0 ? [] : [{ type: 'servers_failed', names }]
  }

  /** Measured: only `/clear` gives another id, and of it the init alone names the one that can be resumed. */
  private moved(reported: string | undefined): Translated[] {
    if (reported === undefined || reported === this.sessionId) return []
    const { cleared } = this
    this.sessionId = reported
    this.cleared = false
    if (cleared) this.emptied()
    const subtype = cleared ? 'conversation_cleared' : 'conversation_moved'
    return [
      { type: 'session', info: { backendSessionId: reported, provisional: true, resumed: !cleared } },
      { type: 'output', output: { kind: 'system', subtype, data: {} } },
    ]
  }
}
