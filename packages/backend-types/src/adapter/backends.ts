/**
 * Backends, as machines report them; there is no list of all. A machine's manifest names the kind of each, and the label
 * that people see.
 */
import { z } from 'zod'

/** As a manifest, a policy and the settings of a session name it. */
export const BackendKind = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/)
export type BackendKind = z.infer<typeof BackendKind>

export const isBackendKind = (kind: string): boolean => BackendKind.safeParse(kind).success

/** What an adapter says of its backend without being loaded. */
export interface BackendAbout {
  kind: BackendKind
  label: string
  /** Versions of the program that this release was tested with. Any other runs as well, and is said to be untested. */
  testedVersions?: readonly string[]
  /** Its credentials and settings: variables of the owner's environment that programs get. `NAME_*` is a beginning. */
  environment?: readonly string[]
}

/** A kind whose label nobody knows here has no other name. Empty: of a session whose beginning is lost. */
export const backendName = (kind: string, label?: string): string => label ?? (kind || 'Unknown program')
