/** The way from a program of a session to its host. */
import { CodedError } from '@roundhouse/backend-types'
import { ToolClient } from '../tool-contract/client'
import { placeIn } from '../tool-contract/place'

export async function openTools(env: Readonly<Record<string, string | undefined>>): Promise<ToolClient> {
  const place = placeIn(env)
  if (place) return ToolClient.connect(place)
  throw new CodedError('AUTH_REQUIRED', 'This command works inside a session of Roundhouse only.')
}
