'use client'
import { createContext, useContext } from 'react'

export interface ActiveGrants {
  /** Their ids. */
  active: ReadonlySet<string>
  revoke: (grantId: string) => void
}

/** The permissions of the session that is shown, where a person can take them back. */
const Grants = createContext<ActiveGrants | null>(null)

export const ActiveGrantsProvider = Grants.Provider

/** Beside what a permission answered, for as long as it is active. */
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
