/** Whether the program of this session can do what a command asks for, of what only some programs can (CMD-11). */
import { type BackendAdapter, CodedError, type QueryMethod } from '@roundhouse/backend-types'

/** Also null if the program is not installed: starting it then reports the error. */
export async function refuseQuery(
  find: () => Promise<BackendAdapter | null>,
  method: QueryMethod,
): Promise<CodedError | null> {
  const adapter = await find()
  const can = adapter?.capabilities.queries?.includes(method) ?? adapter === null
  return can ? null : new CodedError('UNSUPPORTED', undefined, { method })
}
