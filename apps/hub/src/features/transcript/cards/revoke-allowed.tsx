'use client'
import Link from 'next/link'
import { createContext, useContext } from 'react'
import { useFolderRules, useRevokeRule } from '../../../live/use-folder-rules'

export interface ActiveGrants {
  /** Ids of the active grants. */
  active: ReadonlySet<string>
  revoke: (grantId: string) => void
  /** The machine whose rules can be revoked here. */
  agentId?: string | undefined
}

/** What allows actions in the shown session and can be revoked here. */
const Grants = createContext<ActiveGrants | null>(null)

export const ActiveGrantsProvider = Grants.Provider

/** Shown beside what a grant of the session or a rule of the folder allowed, while it is active. */
export function RevokeAllowed({ grantId, ruleId }: { grantId?: string | undefined; ruleId?: string | undefined }) {
  const grants = useContext(Grants)
  if (!grants) return null
  if (ruleId !== undefined) return grants.agentId && <RevokeRule agentId={grants.agentId} ruleId={ruleId} />
  if (grantId === undefined || !grants.active.has(grantId)) return null
  return <RevokeButton onRevoke={() => grants.revoke(grantId)} />
}

/** Only the machine knows whether the rule still holds, so nothing is offered until it answers. */
function RevokeRule({ agentId, ruleId }: { agentId: string; ruleId: string }) {
  const revoke = useRevokeRule(agentId)
  const rule = useFolderRules(agentId, { soon: revoke.isSuccess }).find((one) => one.ruleId === ruleId)
  if (!rule) return null
  if (revoke.isError) {
    return (
      <span role="alert" className="text-failed">
        {' '}
        It could not be revoked here.{' '}
        <Link className="underline underline-offset-4" href="/agents">
          See the rules of the machine
        </Link>
      </span>
    )
  }
  return <RevokeButton sent={revoke.isPending || revoke.isSuccess} onRevoke={() => revoke.mutate(rule)} />
}

function RevokeButton({ onRevoke, sent = false }: { onRevoke: () => void; sent?: boolean }) {
  return (
    <>
      {' '}
      <button
        type="button"
        className="text-failed underline decoration-dotted underline-offset-4 hover:decoration-solid"
        disabled={sent}
        onClick={onRevoke}
      >
        {sent ? 'Revoking…' : 'Revoke'}
      </button>
    </>
  )
}
