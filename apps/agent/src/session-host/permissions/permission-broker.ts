/**
 * Handles the permission requests of this session, from the backend's ask to the decision that it receives (PERM-1..5, 8).
 *
 *   ask ─► the machine's policy denies it by name ─► refused{rule}, the backend hears `deny`
 *      ├─► a grant covers it ─────────────► applying ─► the backend hears `allow` ─► applied{by grant}
 *      └─► permission_requested, waits
 *            └─ decide ─► checked again ─► applying (on disk) ─► the backend hears it ─► applied
 *                            ├─ no longer what was shown ─► superseded by a new request
 *                            └─ against the machine's policy ─► refused, the backend hears `deny`
 *
 * Frames of the backend stay in this file. Secrets are redacted from everything that leaves it.
 */
import {
  type Author,
  CodedError,
  type CommandOf,
  type ErrorBody,
  LATEST_MILLIS,
  type PermissionAsk,
  refusalWords,
  type SessionEvent,
} from '@roundhouse/backend-types'
import {
  beginApply,
  type Closed,
  expire,
  finishApply,
  type HeldGrant,
  type JudgedScope,
  type LedgerStep,
  orphanAll,
  type PermissionLedger,
  withdraw,
} from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { deniedBy } from '../../actions/denied'
import type { LogChange, RequestRow } from '../../log/statements'
import { Deadlines } from '../journal/deadlines'
import { fitRequest } from '../program/fit-reports'
import type { AskedRequest } from '../program/shown-tool'
import { mayChange } from '../settings/judge-again'
import {
  type ActionNow,
  type AskSurroundings,
  type BegunAsk,
  isAllowedByGrants,
  lookAtAction,
  makeAsk,
  type OpenAsk,
  refusalOf,
} from './ask'
import type { BrokerPorts } from './broker-ports'
import { denyByRule, denyUnreadable } from './denials'
import { type LookedAgain, lookAgain, ruleAgainst } from './look-again'
import { coversAction } from './offered-scopes'
import { OpenAsks } from './open-asks'
import {
  configuredEvent,
  type DecisionToApply,
  decidedEvent,
  openRow,
  requestedEvent,
  resolvedEvent,
} from './permission-events'
import { showInput } from './shown-input'
import { runsUnasked } from './unasked'
import { withoutSecretAnswers } from './with-answers'

export type DecideCommand = CommandOf<'permission.decide'>
/** How a decision command ended. */
export type DecisionResult = { state: 'done' | 'outcome_unknown' } | { state: 'refused'; error: ErrorBody }

/** Timers stop while a machine sleeps; its clock does not. */
const LOOK_AGAIN_MS = 30_000

export class PermissionBroker {
  private readonly open = new OpenAsks()
  private readonly expiry: Deadlines

  constructor(private readonly ports: BrokerPorts) {
    this.expiry = new Deadlines(ports.now, () => this.expireNow(), LOOK_AGAIN_MS, ports.elapsed)
  }

  /** Requests without a decision, oldest first. */
  requests(): PermissionAsk[] {
    return this.open.undecided()
  }

  /** For the closing events of a process. */
  get currentLedger(): PermissionLedger {
    return this.open.ledger
  }

  /** Every request of a program gets a decision. A request that cannot be shown to anybody is refused. */
  ask(procId: string, request: AskedRequest): void {
    let begun: BegunAsk | null
    try {
      begun = this.begin(procId, fitRequest(request))
    } catch (error) {
      void denyUnreadable(this.ports, procId, request, error)
      return
    }
    if (begun) this.opened(begun)
  }

  /** Returns null if nobody needs to be asked. Throws only before anything is in the log, so the caller can still refuse the request. */
  private begin(procId: string, request: AskedRequest): BegunAsk | null {
    const looked = lookAtAction(request, procId, this.surroundings())
    const open = this.makeAsk(procId, request, looked)
    const { ask } = open
    const rule = deniedBy(looked.action, this.ports.policy())
    if (rule) {
      void denyByRule(this.ports, ask, rule).catch((error) => denyUnreadable(this.ports, procId, request, error))
      return null
    }
    const rules = this.ports.policy()
    const around = { cwd: looked.action.cwd, folders: this.ports.folders(), roots: rules.roots, rules }
    if (runsUnasked(request, looked.wide, around)) {
      // If the backend is gone by now, nothing waits.
      void this.ports.respond({ callId: ask.callId, decision: 'allow' }).catch(() => {})
      return null
    }
    const requested = this.ports.journal.record([requestedEvent(ask)], { requests: [openRow({ ask, applying: null })] })
    return { open, looked, request, requested }
  }

  /** PERM-6: the request is open as soon as its event is on its way to the log. An error here leaves it to a person. */
  private opened({ open, looked, request, requested }: BegunAsk): void {
    this.open.add(open)
    try {
      this.ports.changed()
      this.watchExpiry()
      const grant = this.grantFor(request, looked)
      if (!grant || refusalOf(looked, this.ports.policy())) return
      void requested.then(() => this.applyGrant(open.ask, looked.digest, grant)).catch(() => {})
    } catch (error) {
      console.error(`the request ${open.ask.requestId} is open, but a later step failed`, error)
    }
  }

  private grantFor(request: AskedRequest, looked: ActionNow): HeldGrant | undefined {
    if (!isAllowedByGrants(request)) return undefined
    const question = {
      ...looked,
      toolName: request.toolName,
      exactOnly: looked.doubts.length > 0,
      covers: (scope: JudgedScope) => coversAction(scope, looked.wide),
    }
    const { grants } = this.ports
    return grants.covering(question) ?? grants.covering({ ...question, actionDigest: looked.wordedDigest })
  }

  /** The accepted command is already on disk. The result is on disk when this resolves. */
  async decide(decision: DecideCommand, commandId: string, author: Author): Promise<DecisionResult> {
    this.expireNow()
    const open = this.open.find(decision.requestId)
    if (!open) return this.refuseCommand(commandId, this.goneError(decision.requestId))
    let looked: LookedAgain
    try {
      looked = lookAgain(decision, open, this.surroundings(), this.ports.policy())
    } catch (error) {
      return this.refuseCommand(commandId, error as CodedError)
    }
    const { checked, runs, edit, changedFiles } = looked
    const begun = beginApply(this.open.ledger, { ...decision, commandId }, checked)
    switch (begun.kind) {
      case 'gone':
        return this.refuseCommand(commandId, this.goneError(decision.requestId))
      case 'changed':
        return this.supersede(open, decision, commandId, author)
      case 'refused':
        return this.refuseByPolicy(
          begun.step,
          begun.refusedBy,
          ruleAgainst(looked, begun.refusedBy, this.ports.policy()),
          decision,
          commandId,
          author,
        )
      case 'apply': {
        const grant =
          decision.decision === 'allow_session'
            ? this.ports.grants.plan(open.ask, { ...decision, commandId }, runs.actionDigest, this.ports.newId())
            : null
        return this.apply(open, begun.ledger, {
          decision: decision.decision,
          by: author,
          commandId,
          reason: decision.reason,
          edit: edit && { ...edit, shown: this.shownEdit(edit, open.ask) },
          mode: decision.mode,
          effectiveDigest: runs.digest,
          changedFiles: changedFiles.map((file) => this.ports.redact(file).text),
          grant,
        })
      }
    }
  }

  private shownEdit({ kind, input }: NonNullable<LookedAgain['edit']>, ask: PermissionAsk): unknown {
    return showInput(kind === 'answered' ? withoutSecretAnswers(input, ask) : input, this.ports.redact).value
  }

  /** The backend withdrew its request. */
  withdraw(callId: string): void {
    const found = this.open.ofCall(callId)
    if (found) this.close(withdraw(this.open.ledger, found.ask.requestId))
  }

  /** Withdraws the requests that belong to a turn that has ended. */
  withdrawThose(belong: (request: AskedRequest) => boolean): void {
    for (const { ask, request } of this.open.all) {
      if (belong(request)) this.close(withdraw(this.open.ledger, ask.requestId))
    }
  }

  /** Returns the rows for the closing events of a process that is gone. The caller writes both. */
  forget(procId: string): Pick<LogChange, 'requests'> {
    return this.settle(orphanAll(this.open.ledger, procId))
  }

  dispose(): void {
    this.expiry.dispose()
  }

  private async applyGrant(ask: PermissionAsk, digest: string, grant: HeldGrant): Promise<void> {
    const open = this.open.find(ask.requestId)
    const incoming = { ...ask, decision: 'allow', commandId: null } as const
    const begun = beginApply(this.open.ledger, incoming, { currentDigest: digest, effectiveDigest: digest })
    if (!open || begun.kind !== 'apply') return
    const { grantId, label, commandId } = grant
    const by = { grantId, label, ...(commandId === undefined ? {} : { commandId }) }
    await this.apply(open, begun.ledger, { decision: 'allow', by, effectiveDigest: digest, grant: null })
  }

  private async apply(open: OpenAsk, begun: PermissionLedger, decision: DecisionToApply): Promise<DecisionResult> {
    const { commandId, reason } = decision
    const requests = this.open.beginApply(open, begun)
    this.ports.changed()
    await this.ports.journal.write({
      requests,
      ...(commandId === undefined ? {} : { moved: [{ commandId, state: 'started' }] }),
    })
    failpoint('agent.decision.beforeApply')
    const told = decision.decision === 'allow_session' ? 'allow' : decision.decision
    const deliversReason = reason !== undefined && told === 'deny' && open.ask.canExplainDeny
    try {
      await this.ports.respond({
        callId: open.ask.callId,
        decision: told,
        ...(deliversReason ? { reason } : {}),
        ...(decision.edit ? { updatedInput: decision.edit.input } : {}),
        ...(decision.mode === undefined ? {} : { mode: decision.mode }),
      })
    } catch {
      return this.finish(open, decision, 'outcome_unknown', false)
    }
    failpoint('agent.decision.afterApply.beforePersist')
    const steers = reason !== undefined && told === 'deny' && !deliversReason
    const steered = !steers || (await this.ports.steer(refusalWords(reason)).catch(() => false))
    return this.finish(open, decision, 'applied', !steered)
  }

  private async finish(
    open: OpenAsk,
    decision: DecisionToApply,
    outcome: 'applied' | 'outcome_unknown',
    reasonUndelivered: boolean,
  ): Promise<DecisionResult> {
    const { commandId, grant } = decision
    const state = outcome === 'applied' ? 'done' : 'outcome_unknown'
    const step = finishApply(this.open.ledger, open.ask.requestId)
    // The process exited meanwhile; its closing events already report the outcome.
    if (step.closed.length === 0) return { state: 'outcome_unknown' }
    const mode = outcome === 'applied' && decision.mode !== undefined ? this.ports.changeMode(decision.mode) : null
    const change: LogChange = {
      ...this.settle(step, outcome),
      ...(outcome === 'applied' && grant ? this.ports.grants.keep(grant) : {}),
      ...(commandId === undefined ? {} : { moved: [{ commandId, state }] }),
      ...mode?.change,
    }
    const decided = decidedEvent(open.ask, decision, outcome, reasonUndelivered)
    await this.ports.journal.record(mode ? [decided, configuredEvent(decision)] : [decided], change)
    mode?.tell()
    return { state }
  }

  private async supersede(
    open: OpenAsk,
    decision: DecideCommand,
    commandId: string,
    author: Author,
  ): Promise<DecisionResult> {
    const next = this.makeAsk(open.ask.procId, open.request)
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
    this.watchExpiry()
    return { state: 'refused', error }
  }

  private async refuseByPolicy(
    step: LedgerStep,
    refusedBy: 'policy' | 'path',
    rule: string,
    decision: DecideCommand,
    commandId: string,
    author: Author,
  ): Promise<DecisionResult> {
    const [closed] = step.closed
    if (!closed) return this.refuseCommand(commandId, this.goneError(decision.requestId))
    const code = refusedBy === 'path' ? 'PATH_NOT_ALLOWED' : 'POLICY_DENIED'
    const error = new CodedError(code, undefined, { rule }).toBody()
    const told = { decision: decision.decision, by: author, refusedBy, rule, commandId }
    await this.ports.journal.record([{ ...resolvedEvent(closed.ask, 'refused'), ...told }], {
      ...this.settle(step),
      moved: [{ commandId, state: 'refused', answer: JSON.stringify(error) }],
    })
    const denial = { callId: closed.ask.callId, decision: 'deny', reason: error.message } as const
    // If the backend is gone by now, its exit closes what is left.
    await this.ports.respond(denial).catch(() => {})
    return { state: 'refused', error }
  }

  private async refuseCommand(commandId: string, error: CodedError): Promise<DecisionResult> {
    const body = error.toBody()
    await this.ports.journal.write({ moved: [{ commandId, state: 'refused', answer: JSON.stringify(body) }] })
    // The request may still be open for another decision. Only a report after the refusal tells the hub so.
    this.ports.changed()
    return { state: 'refused', error: body }
  }

  private goneError(requestId: string): CodedError {
    const outcome = this.ports.journal.log.rows.request(requestId)?.outcome
    const decided = outcome === 'applied' || outcome === 'applying'
    return new CodedError(decided ? 'PERMISSION_ALREADY_DECIDED' : 'REQUEST_GONE')
  }

  private makeAsk(procId: string, request: AskedRequest, looked?: ActionNow): OpenAsk {
    const askedAt = this.ports.now()
    const { askLifeMs } = this.ports.policy()
    const expiresAt = askLifeMs === undefined ? undefined : Math.min(LATEST_MILLIS, askedAt + askLifeMs)
    const ids = { requestId: this.ports.newId(), procId, turnId: this.ports.turnId() }
    return makeAsk(request, ids, { askedAt, expiresAt }, this.surroundings(), looked)
  }

  /** Records the requests that a step closed, as events and rows. */
  private close(step: LedgerStep): void {
    const events = step.closed.map(({ ask, outcome }): SessionEvent => resolvedEvent(ask, outcome))
    if (events.length > 0) void this.ports.journal.record(events, this.settle(step))
  }

  /** Takes a step and returns the rows of the requests that it closed. */
  private settle(step: LedgerStep, outcome?: Closed['outcome']): { requests: RequestRow[] } {
    const requests = this.open.take(step, outcome)
    if (requests.length > 0) this.ports.changed()
    return { requests }
  }

  private surroundings(): AskSurroundings {
    const { redact, digestKey: key } = this.ports
    const rules = this.ports.policy()
    const mayMode = (mode: string) => mayChange(rules, { mode })
    const [workDir, folders] = [this.ports.workDir(), this.ports.folders()]
    return { key, redact, roots: rules.roots, workDir, folders, rules, mayMode }
  }

  private watchExpiry(): void {
    this.expiry.set(this.requests().flatMap(({ requestId: id, expiresAt: at }) => (at === undefined ? [] : { id, at })))
  }

  private expireNow(): void {
    const step = expire(this.open.ledger, ({ requestId }) => this.expiry.isOver(requestId))
    const callIds = step.closed.map(({ ask }) => ask.callId)
    this.close(step)
    // PERM-4: the backend hears that nobody decided, which is not a refusal.
    for (const callId of callIds) {
      void this.ports.respond({ callId, decision: 'deny', unanswered: true }).catch(() => {})
    }
    this.watchExpiry()
  }
}
