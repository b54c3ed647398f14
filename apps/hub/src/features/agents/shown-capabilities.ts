/** Describes a backend's capabilities for people, from the table of the contract. Pure. */
import { type Capabilities, capabilityRows, isSupported } from '@roundhouse/backend-types'

export interface ShownCapability {
  label: string
  yes: boolean
}

export const shownCapabilities = (held: Capabilities): ShownCapability[] =>
  shown.map((name) => ({ label: capabilityRows[name].title, yes: isSupported(held, name) }))

const shown = Object.keys(capabilityRows) as Array<keyof typeof capabilityRows>
