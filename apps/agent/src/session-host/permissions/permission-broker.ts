/**
 * Handles the permission requests of this session, from the backend's ask to the decision that it receives (PERM-1..5, 8).
 *
 *   ask ─► the machine's policy or a rule of the session denies it ─► refused{rule}, the backend hears `deny`
 *      ├─► nobody needs to be asked (PERM-10, PERM-11) ─► the backend hears `allow`
 *      └─► permission_requested (on disk)
 *            ├─ a rule or a grant covers it ─► applying (on disk) ─► the backend hears `allow` ─► applied{by}
 *            └─ waits ─ decide ─► checked again ─► applying (on disk) ─► the backend hears it ─► applied
 *                                    ├─ no longer what was shown ─► superseded by a new request
 *                                    └─ against the machine's policy ─► refused, the backend hears `deny`
 *
 * Secrets are redacted from everything that leaves this folder.
 */
import type { Author, CodedError, PermissionAsk } from '@roundhouse/backend-types'
import { beginApply, orphanAll, type PermissionLedger, withdraw } from '@roundhouse/delivery'
import { deniedBy } from '../../actions/denied'
import type { LogChange } from '../../log/statements'
import { fitRequest } from '../program/fit-reports'
import type { AskedRequest } from '../program/shown-tool'
import { type ActionNow, type BegunAsk, lookAtAction, refusalOf } from './ask'
import { AskMaker } from './ask-maker'
import type { BrokerPorts } from './broker-ports'
import { DecisionApplier } from './decision-applier'
import { type DecideCommand, DecisionRefuser, type DecisionResult } from './decision-refuser'
import { denyByRule, denyBySession, denyUnreadable } from './denials'
import { type LookedAgain, lookAgain, ruleAgainst } from './look-again'
import { OpenAsks } from './open-asks'
import { type DecisionToApply, openRow, requestedEvent } from './permission-events'
import { RequestCloser } from './request-closer'
import { RequestExpiry } from './request-expiry'
import { showInput } from './shown-input'
import { standingAnswer } from './standing-answers'
import { withoutSecretAnswers } from './with-answers'

export class PermissionBroker {
  private readonly open = new OpenAsks()
  private readonly closer: RequestCloser
  private readonly expiry: RequestExpiry
  private readonly maker: AskMaker
  private readonly applier: DecisionApplier
  private readonly refuser: DecisionRefuser

  constructor(private readonly ports: BrokerPorts) {
    const { open } = this
    this.closer = new RequestCloser(ports, open)
    this.expiry = new RequestExpiry(ports, open, this.closer)
    this.maker = new AskMaker(ports)
    this.applier = new DecisionApplier(ports, open, this.closer)
    this.refuser = new DecisionRefuser(ports, open, this.closer, this.maker, this.expiry)
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
    const looked = lookAtAction(request, procId, this.maker.surroundings())
    const open = this.maker.make(procId, request, looked)
    const { ask } = open
    const rule = deniedBy(looked.action, this.ports.policy())
    if (rule) {
      void denyByRule(this.ports, ask, rule).catch((error) => denyUnreadable(this.ports, procId, request, error))
      return null
    }
    const answer = standingAnswer(this.ports, request, looked)
    if (answer.kind === 'deny') {
      const denied = denyBySession(this.ports, ask, answer.pattern)
      void denied.catch((error) => denyUnreadable(this.ports, procId, request, error))
      return null
    }
    if (answer.kind === 'run') {
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
      this.expiry.watch()
      void requested.then(() => this.answerStanding(open.ask, request, looked)).catch(() => {})
    } catch (error) {
      console.error(`the request ${open.ask.requestId} is open, but a later step failed`, error)
    }
  }

  /** PERM-5.37, PERM-5.39: rules, grants and policy as they are once the request is on disk. Otherwise it waits for a person. */
  private async answerStanding(ask: PermissionAsk, request: AskedRequest, looked: ActionNow): Promise<void> {
    const answer = standingAnswer(this.ports, request, looked)
    if (answer.kind !== 'allow' || refusalOf(looked, this.ports.policy())) return
    await this.applier.applyStanding(ask, looked.digest, answer.by)
  }

  /** The accepted command is already on disk. The result is on disk when this resolves. */
  async decide(decision: DecideCommand, commandId: string, author: Author): Promise<DecisionResult> {
    this.expiry.closeDue()
    const open = this.open.find(decision.requestId)
    if (!open) return this.refuser.gone(commandId, decision.requestId)
    let looked: LookedAgain
    try {
      looked = lookAgain(decision, open, this.maker.surroundings(), this.ports.policy())
    } catch (error) {
      return this.refuser.command(commandId, error as CodedError)
    }
    const { checked, runs, edit, changedFiles } = looked
    const begun = beginApply(this.open.ledger, { ...decision, commandId }, checked)
    switch (begun.kind) {
      case 'gone':
        return this.refuser.gone(commandId, decision.requestId)
      case 'changed':
        return this.refuser.supersede(open, decision, commandId, author)
      case 'refused':
        return this.refuser.byPolicy(
          begun.step,
          begun.refusedBy,
          ruleAgainst(looked, begun.refusedBy, this.ports.policy()),
          decision,
          commandId,
          author,
        )
      case 'apply': {
        const left = this.leaves(open.ask, decision, { commandId, author }, runs.actionDigest)
        return this.applier.apply(open, begun.ledger, {
          decision: decision.decision,
          by: author,
          commandId,
          reason: decision.reason,
          edit: edit && { ...edit, shown: this.shownEdit(edit, open.ask) },
          mode: decision.mode,
          effectiveDigest: runs.digest,
          changedFiles: changedFiles.map((file) => this.ports.redact(file).text),
          ...left,
        })
      }
    }
  }

  /** What an `allow_session` leaves: a grant of the session, or a rule of the folder. */
  private leaves(
    ask: PermissionAsk,
    { decision, scopeId, always }: DecideCommand,
    { commandId, author }: { commandId: string; author: Author },
    digest: string,
  ): Pick<DecisionToApply, 'grant' | 'folderRule'> {
    if (decision !== 'allow_session') return { grant: null }
    const { grants, folderRules, newId } = this.ports
    if (!always) return { grant: grants.plan(ask, { scopeId, commandId }, digest, newId()) }
    return { grant: null, folderRule: folderRules.plan(ask, { scopeId, commandId, author }, digest, newId()) }
  }

  private shownEdit({ kind, input }: NonNullable<LookedAgain['edit']>, ask: PermissionAsk): unknown {
    return showInput(kind === 'answered' ? withoutSecretAnswers(input, ask) : input, this.ports.redact).value
  }

  /** The backend withdrew its request. */
  withdraw(callId: string): void {
    const found = this.open.ofCall(callId)
    if (found) this.closer.close(withdraw(this.open.ledger, found.ask.requestId))
  }

  /** Withdraws the requests that belong to a turn that has ended. */
  withdrawThose(belong: (request: AskedRequest) => boolean): void {
    for (const { ask, request } of this.open.all) {
      if (belong(request)) this.closer.close(withdraw(this.open.ledger, ask.requestId))
    }
  }

  /** Returns the rows for the closing events of a process that is gone. The caller writes both. */
  forget(procId: string): Pick<LogChange, 'requests'> {
    return this.closer.settle(orphanAll(this.open.ledger, procId))
  }

  dispose(): void {
    this.expiry.dispose()
  }
}
