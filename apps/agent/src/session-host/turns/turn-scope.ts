/**
 * What belongs to a turn and ends with it. The calls, requests and output of a background helper continue without a
 * turn until the helper or the process ends (LOG-7, PERM-1).
 */
import type { PermissionRequest } from '@roundhouse/backend-types'
import { endsWithTurn, type OpenCall, openCallsOf, type SessionProjection } from '@roundhouse/delivery'
import type { SpoolHeader } from '../journal/spool'

export class TurnScope {
  /** `inBackground`: the calls of tasks that run beside the turns. */
  constructor(
    private readonly projection: SessionProjection,
    private readonly inBackground: ReadonlySet<string>,
  ) {}

  calls(): OpenCall[] {
    return openCallsOf(this.projection).filter(({ callId }) => this.holdsCall(callId))
  }

  /** A request about no known call belongs to its sender: a helper identifies itself. */
  readonly holdsRequest = ({ callId, meta }: PermissionRequest): boolean =>
    endsWithTurn(this.projection, callId) ?? meta?.agentId === undefined

  readonly holdsBlock = ({ kind, callId, parentCallId }: SpoolHeader): boolean => {
    if (kind === 'tool_progress' && callId !== undefined && !this.inBackground.has(callId))
      return this.holdsCall(callId)
    const maker = kind === 'tool_progress' ? callId : parentCallId
    return maker === undefined || endsWithTurn(this.projection, maker) === true
  }

  private holdsCall(callId: string): boolean {
    return endsWithTurn(this.projection, callId) ?? true
  }
}
