/** What a caller may ask of a provider, by the document's names of capabilities. */
import { type Capabilities, type Capability, CodedError, isSupported } from '@roundhouse/backend-types'

export function requireCapability(caps: Capabilities, capability: Capability, name: string): void {
  if (isSupported(caps, capability)) return
  throw new CodedError('UNSUPPORTED', `The provider ${name} has no ${capability}.`, { capability })
}
