/** Machines as they lie in the tables, and the way to the core's: lists and the manifest are JSON texts. */
import { type AgentManifestPayload, CodedError } from '@roundhouse/backend-types'
import type { AgentRow, MachineChange, MachineRow } from '../../../core/ports/machine-store'
import { readList, writeList } from './json-lists'
import { isWhole } from './whole-rows'

interface Texts {
  chains: string
  roots: string
  manifest: string | null
}

/** Without its manifest, a row has NULL in its place. */
export type RawMachine = Omit<AgentRow, keyof Texts> & Texts

/** Throws where it is not whole. */
export function toAgent(raw: RawMachine): AgentRow {
  if (!isWhole('agent', raw)) throw new CodedError('STORAGE_DAMAGED')
  return { ...raw, ...readMachine(raw) }
}

export const toMachine = (raw: RawMachine): MachineRow => toAgent(raw)

export function readMachine({ chains, roots, manifest }: Texts): Pick<AgentRow, keyof Texts> {
  return { chains: readList(chains), roots: readList(roots), manifest: readManifest(manifest) }
}

export const readManifest = (text: string | null): AgentManifestPayload | null =>
  text === null ? null : (JSON.parse(text) as AgentManifestPayload)

/** The changed columns that are texts. */
export function writeMachine({ chains, roots, manifest }: MachineChange): Partial<Texts> {
  return {
    ...(chains && { chains: writeList(chains) }),
    ...(roots && { roots: writeList(roots) }),
    ...(manifest !== undefined && { manifest: manifest && JSON.stringify(manifest) }),
  }
}
