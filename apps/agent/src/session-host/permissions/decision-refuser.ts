/** Refuses decisions of people that may not be carried out, and records why: gone, changed, or against the policy (PERM-2, PERM-8). */
import { type Author, CodedError, type CommandOf, type ErrorBody } from '@roundhouse/backend-types'
import type { LedgerStep } from '@roundhouse/delivery'
import type { OpenAsk } from './ask'
import type { AskMaker } from './ask-maker'
import type { BrokerPorts } from './broker-ports'
import type { OpenAsks } from './open-asks'
import { requestedEvent, resolvedEvent } from './permission-events'
import type { RequestCloser } from './request-closer'
import type { RequestExpiry } from './request-expiry'

export type DecideCommand = CommandOf<'permission.decide'>
/** How a decision command ended. */
export type DecisionResult = { state: 'done' | 'outcome_unknown' } | { state: 'refused'; error: ErrorBody }

export class DecisionRefuser {
  constructor(
    private readonly ports: Pick<BrokerPorts, 'journal' | 'respond' | 'changed'>,
    private readonly open: OpenAsks,
    private readonly closer: RequestCloser,
    private readonly maker: AskMaker,
    private readonly expiry: RequestExpiry,
  ) {}

  async supersede(open: OpenAsk, decision: DecideCommand, commandId: string, author: Author): Promise<DecisionResult> {
    const next = this.maker.make(open.ask.procId, open.request)
    const error = new CodedError('DIGEST_MISMATCH').toBody()
    const requests = this.open.supersede(open, next)
    this.ports.changed()
    await this.ports.journal.record(
      [
        {
          ...resolvedEvent(open.ask, 'superseded'),
          commandId,
          decision: decision.decision,
          by: author,
          refusedBy: 'digest',
          supersededBy: next.ask.requestId,
        },
        requestedEvent(next.ask),
      ],
      {
        requests,
        moved: [{ commandId, state: 'refused', answer: JSON.stringify(error) }],
      },
    )
    this.expiry.watch()
    return { state: 'refused', error }
  }

  async byPolicy(
    step: LedgerStep,
    refusedBy: 'policy' | 'path',
    rule: string,
    decision: DecideCommand,
    commandId: string,
    author: Author,
  ): Promise<DecisionResult> {
    const [closed] = step.closed
    if (!closed) return this.gone(commandId, decision.requestId)
    const code = refusedBy === 'path' ? 'PATH_NOT_ALLOWED' : 'POLICY_DENIED'
    const error = new CodedError(code, undefined, { rule }).toBody()
    const told = { decision: decision.decision, by: author, refusedBy, rule, commandId }
    await this.ports.journal.record([{ ...resolvedEvent(closed.ask, 'refused'), ...told }], {
      ...this.closer.settle(step),
      moved: [{ commandId, state: 'refused', answer: JSON.stringify(error) }],
    })
    const denial = { callId: closed.ask.callId, decision: 'deny', reason: error.message } as const
    // If the backend is gone by now, its exit closes what is left.
    await this.ports.respond(denial).catch(() => {})
    return { state: 'refused', error }
  }

  async command(commandId: string, error: CodedError): Promise<DecisionResult> {
    const body = error.toBody()
    await this.ports.journal.write({ moved: [{ commandId, state: 'refused', answer: JSON.stringify(body) }] })
    // The request may still be open for another decision. Only an account after the refusal tells the hub so.
    this.ports.changed()
    return { state: 'refused', error: body }
  }

  /** Nothing waits for this decision. */
  gone(commandId: string, requestId: string): Promise<DecisionResult> {
    return this.command(commandId, this.goneError(requestId))
  }

  private goneError(requestId: string): CodedError {
    const outcome = this.ports.journal.log.rows.request(requestId)?.outcome
    const decided = outcome === 'applied' || outcome === 'applying'
    return new CodedError(decided ? 'PERMISSION_ALREADY_DECIDED' : 'REQUEST_GONE')
  }
}
