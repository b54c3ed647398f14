/**
 * The rules of the session's folder (PERM-13): what a request may leave, what a decision leaves, and which rule covers an
 * action. A rule is judged as a grant is, and only while the machine's policy accepts rules of the hub.
 */
import path from 'node:path'
import {
  type AllowingGrant,
  type Author,
  FOLDER_RULE_LIFE_MS,
  type FolderRuleOffer,
  type OfferedScope,
  type PermissionAsk,
  type SessionSettings,
} from '@roundhouse/backend-types'
import { type GrantQuestion, grantCovers } from '@roundhouse/delivery'
import type { HostPolicy } from '../../host-contract/launch-spec'
import { FolderRulesFolder, type KeptRule } from '../../policy/folder-rules'
import type { ActionNow } from './ask'

/** A longer command makes no readable rule. */
const LONGEST_COMMAND = 200

export interface RuleSession {
  sessionId: string
  /** Real path of its work folder. */
  folder(): string
  settings(): Pick<SessionSettings, 'backend' | 'sandbox'>
}

export class FolderRules {
  constructor(
    private readonly kept: FolderRulesFolder | null,
    private readonly session: RuleSession,
    private readonly policy: () => HostPolicy,
    private readonly now: () => number,
  ) {}

  /** Nothing may be left where the names of the action are not certain, or its files are not pinned. */
  offer(looked: ActionNow, scopes: readonly OfferedScope[], redact: (text: string) => string): FolderRuleOffer | null {
    if (!this.areAccepted() || !this.kept?.hasRoom() || looked.doubts.length > 0 || !looked.filesPinned) return null
    const wider = scopes.filter(({ scope }) => scope.kind !== 'exact')
    const exact = exactScope(looked)
    const offered = [...(exact && redact(exact.label) === exact.label ? [exact] : []), ...wider]
    return offered.length === 0 ? null : { folder: this.session.folder(), lifeMs: FOLDER_RULE_LIFE_MS, scopes: offered }
  }

  /** Takes effect with `keep`. */
  plan(
    ask: PermissionAsk,
    { scopeId, commandId, author }: { scopeId: string | undefined; commandId: string; author: Author },
    actionDigest: string,
    ruleId: string,
  ): KeptRule | null {
    const chosen = ask.folderRule?.scopes.find((one) => one.scopeId === scopeId)
    if (!chosen || !this.areAccepted()) return null
    const { scope, label } = chosen
    const createdAt = this.now()
    const { sessionId } = this.session
    const made = { ruleId, folder: this.session.folder(), backend: this.session.settings().backend, sessionId, author }
    return { ...made, scope, label, createdAt, expiresAt: createdAt + FOLDER_RULE_LIFE_MS, actionDigest, commandId }
  }

  /** On the disk when it returns. */
  keep(rule: KeptRule): void {
    this.kept?.keep(rule)
  }

  /** False if there is no such rule. */
  revoke(ruleId: string): boolean {
    return this.kept?.revoke(ruleId) != null
  }

  covering(question: GrantQuestion): AllowingGrant | undefined {
    if (!this.kept || !this.areAccepted() || question.exactOnly) return undefined
    const { sandbox, backend } = this.session.settings()
    if (sandbox === 'read-only') return undefined
    const folder = this.session.folder()
    const here = this.kept.all().filter((rule) => rule.folder === folder && rule.backend === backend)
    const found = here.find((rule) => grantCovers({ ...rule, grantId: rule.ruleId }, question, this.now()))
    return found && { grantId: found.ruleId, label: found.label, commandId: found.commandId, rule: 'folder' }
  }

  areAccepted(): boolean {
    return this.policy().acceptHubRules === true
  }
}

/** `folder`: `config/rules` of the agent's home. Absent, from an older daemon: the machine has no rules. */
export function keptRules(folder: string | undefined, now: () => number): FolderRulesFolder | null {
  return folder === undefined ? null : new FolderRulesFolder(folder, path.dirname(path.dirname(folder)), now)
}

/** Only a command says what exactly it is. */
function exactScope({ wide }: ActionNow): OfferedScope | null {
  if (wide?.kind !== 'command' || wide.text.length > LONGEST_COMMAND || /[\r\n]/.test(wide.text)) return null
  return { scopeId: 'exact', scope: { kind: 'exact' }, label: `exactly “${wide.text}”, in ${wide.folder}` }
}
