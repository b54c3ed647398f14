/** Carries a decision to the backend: on disk first, then told, then what became of it (PERM-3). */
import { type AllowingGrant, type PermissionAsk, refusalWords } from '@roundhouse/backend-types'
import { beginApply, finishApply, type PermissionLedger } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import type { LogChange } from '../../log/statements'
import type { OpenAsk } from './ask'
import type { BrokerPorts } from './broker-ports'
import type { DecisionResult } from './decision-refuser'
import type { OpenAsks } from './open-asks'
import { configuredEvent, type DecisionToApply, decidedEvent } from './permission-events'
import type { RequestCloser } from './request-closer'

type ApplierPorts = Pick<
  BrokerPorts,
  'journal' | 'grants' | 'folderRules' | 'respond' | 'steer' | 'changeMode' | 'changed'
>

export class DecisionApplier {
  constructor(
    private readonly ports: ApplierPorts,
    private readonly open: OpenAsks,
    private readonly closer: RequestCloser,
  ) {}

  /** `by`: decides in the place of a person. */
  async applyStanding(ask: PermissionAsk, digest: string, by: AllowingGrant): Promise<void> {
    const open = this.open.find(ask.requestId)
    const incoming = { ...ask, decision: 'allow', commandId: null } as const
    const begun = beginApply(this.open.ledger, incoming, { currentDigest: digest, effectiveDigest: digest })
    if (!open || begun.kind !== 'apply') return
    await this.apply(open, begun.ledger, { decision: 'allow', by, effectiveDigest: digest, grant: null })
  }

  async apply(open: OpenAsk, begun: PermissionLedger, decision: DecisionToApply): Promise<DecisionResult> {
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
    const told = outcome === 'applied' ? this.withRule(decision) : decision
    const mode = outcome === 'applied' && decision.mode !== undefined ? this.ports.changeMode(decision.mode) : null
    const change: LogChange = {
      ...this.closer.settle(step, outcome),
      ...(outcome === 'applied' && grant ? this.ports.grants.keep(grant) : {}),
      ...(commandId === undefined ? {} : { moved: [{ commandId, state }] }),
      ...mode?.change,
    }
    const decided = decidedEvent(open.ask, told, outcome, reasonUndelivered)
    await this.ports.journal.record(mode ? [decided, configuredEvent(decision)] : [decided], change)
    mode?.tell()
    return { state }
  }

  /** A rule that the disk refuses was not left: the decision counts once, and says so. */
  private withRule(decision: DecisionToApply): DecisionToApply {
    if (!decision.folderRule) return decision
    try {
      this.ports.folderRules.keep(decision.folderRule)
      return decision
    } catch (error) {
      console.error(`the rule ${decision.folderRule.ruleId} could not be written`, error)
      return { ...decision, folderRule: null }
    }
  }
}
