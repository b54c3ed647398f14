/** The person behind an API token, with the rights that the token leaves. */
import { ApiTokenScope } from '@roundhouse/backend-types'
import { type Actor, actionsOf, agentsOf, type Right } from '../access/access'
import type { ApiTokenOwner, ApiTokenRow } from '../ports/api-token-store'

export const scopesOf = (row: Pick<ApiTokenRow, 'scopes'>) => ApiTokenScope.array().parse(row.scopes)

export function tokenActor(row: ApiTokenOwner): Actor {
  const { userId, personName, role, tokenId } = row
  const only = new Set<Right>(scopesOf(row).flatMap(actionsOf))
  const agents = agentsOf(role, row.shared)
  return { userId, name: `${personName} (${row.name})`, role, agents, only, credential: { kind: 'token', id: tokenId } }
}
