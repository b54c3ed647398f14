/** Whether the program of this session can do what a command asks for, of what only some programs can (CMD-11). */
import { type BackendAdapter, type CodedError, type QueryMethod, unsupportedQuery } from '@roundhouse/backend-types'

/** Also null if the program is not installed: starting it then reports the error. */
export async function refuseQuery(
  find: () => Promise<BackendAdapter | null>,
  method: QueryMethod,
): Promise<CodedError | null> {
  const adapter = await find()
  if (!adapter) return null
  const { type, capabilities } = adapter
  return unsupportedQuery({ label: capabilities.humanLabel ?? type, capabilities }, method)
}
