'use client'
import { createContext, useContext } from 'react'

export interface ActiveGrants {
  /** Ids of the active grants. */
  active: ReadonlySet<string>
  revoke: (grantId: string) => void
}

/** The grants of the shown session that a person can revoke here. */
const Grants = createContext<ActiveGrants | null>(null)

export const ActiveGrantsProvider = Grants.Provider

/** Shown beside what a grant allowed, while the grant is active. */
export function RevokeGrant({ grantId }: { grantId: string | undefined }) {
  const grants = useContext(Grants)
  if (grantId === undefined || !grants?.active.has(grantId)) return null
  return (
    <>
      {' '}
      <button
        type="button"
        className="text-failed underline decoration-dotted underline-offset-4 hover:decoration-solid"
        onClick={() => grants.revoke(grantId)}
      >
        Revoke
      </button>
    </>
  )
}
