/** The effects that the translator returns. The conversation carries them out in order. */
import type { Report, RpcId } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import type { BackendOutput } from '@roundhouse/backend-types'

export type Effect =
  | Report
  /** The answer to a permission request of the program. */
  | { type: 'answer'; id: RpcId; outcome: Json }

export const output = (value: BackendOutput): Report => ({ type: 'output', output: value })
export const system = (subtype: string, data: unknown): Report => output({ kind: 'system', subtype, data })
