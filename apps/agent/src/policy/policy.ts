/**
 * The machine's own policy (POL-1): the upper limit of what the hub may ask of this machine. The hub cannot write it. A
 * missing field has the careful default.
 */
import { createHash } from 'node:crypto'
import { Sandbox } from '@roundhouse/backend-types'
import { z } from 'zod'
import { ProgramRules } from './programs'
import { isVersionRange } from './version-range'

const MIB = 1024 * 1024

const AbsolutePath = z.string().startsWith('/', 'must be an absolute path')
const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, 'must be the name of a variable, with * at most at its end')
const VersionRange = z.string().refine(isVersionRange, 'must be a range of versions such as ">=2.1 <3"')

const Rules = z.strictObject({
  version: z.literal(1).default(1),
  /** Folders in which sessions may run. None by default: nothing runs before the owner names one. */
  roots: z.array(AbsolutePath).default([]),
  /**
   * Which backends may run, each with the absolute path of its program and the versions of it that are allowed, where
   * these are pinned. Absent: every one found.
   */
  backends: z
    .record(
      z.string(),
      z.strictObject({
        path: AbsolutePath.optional(),
        versions: VersionRange.optional(),
        /** The program's own sandbox denies what is denied by name, also to commands that a person let out of it. */
        denyInSandbox: z.boolean().optional(),
      }),
    )
    .optional(),
  /** Further programs that may run here, whatever `backends` says. */
  programs: ProgramRules.optional(),
  maxSandbox: Sandbox.default('workspace-write'),
  /** Lets a hub ask for a mode in which the program never asks. */
  allowBypassPermissions: z.boolean().default(false),
  /** Lets a hub name tools that run without asking (`allowedTools`). */
  acceptHubRules: z.boolean().default(false),
  /** Load what a repository itself configures: hooks, MCP servers, command rules. They run before anybody is asked. */
  trustProjectConfig: z.boolean().default(false),
  /** Tools that are refused whatever anybody says, by name. */
  denyTools: z.array(z.string().min(1)).default([]),
  /** Files and folders that no action may name, wherever links lead. Refused without asking anybody. */
  denyPaths: z.array(AbsolutePath).default([]),
  /** Folder with the notes of each role (POL-6). Absent: a role has no notes. */
  notes: AbsolutePath.optional(),
  /** Further variables of the owner's environment that programs get. */
  envAllow: z.array(VariableName).default([]),
  /** Further variables that a hub may set for a session. */
  hubEnvAllow: z.array(VariableName).default([]),
  /** What happens to a program that was found without its host (RES-6). */
  orphans: z.enum(['end', 'keep']).default('end'),
  limits: z
    .strictObject({
      /** Programs at once; further prompts wait. */
      runningSessions: z.number().int().min(1).max(1_000).default(4),
      /** How long and how much of what the hub has stored is kept here: per session, in total (REB-3). */
      keepMs: z
        .number()
        .int()
        .positive()
        .default(7 * 86_400_000),
      keepSessionBytes: z
        .number()
        .int()
        .min(0)
        .default(64 * MIB),
      keepAgentBytes: z
        .number()
        .int()
        .min(0)
        .default(2_048 * MIB),
      /** A request that nobody answered for so long expires (PERM-4). Absent: never. */
      askMs: z.number().int().min(1_000).optional(),
      /** A program whose log the hub has not taken waits above this (FLOW-2). */
      backlogBytes: z
        .number()
        .int()
        .positive()
        .default(512 * MIB),
    })
    .prefault({}),
})

/** One program has one place: a path beside its `argv` would be another. */
export const Policy = Rules.superRefine(({ backends = {}, programs = {} }, { addIssue }) => {
  for (const [kind, { path }] of Object.entries(backends)) {
    if (path === undefined || !Object.hasOwn(programs, kind)) continue
    addIssue({
      code: 'custom',
      path: ['backends', kind, 'path'],
      message: 'is said by the argv of the program already',
    })
  }
})
export type Policy = z.infer<typeof Policy>

/** Whether this backend may run. A program that the policy names may: that is why it is named. */
export const allowsBackend = (
  { backends, programs = {} }: { backends?: object | undefined; programs?: object | undefined },
  kind: string,
): boolean => backends === undefined || Object.hasOwn(backends, kind) || Object.hasOwn(programs, kind)

export const defaultPolicy = (): Policy => Policy.parse({})

/** Changes when any rule changes; the hub shows it and compares nothing else. */
export const policyDigest = (policy: Policy): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(policy)).digest('hex')}`

/** Exact where a person would say it so: 90 s, 10 min, 2 h. */
export function inWords(ms: number): string {
  const [size, unit] = [[3_600_000, 'h'] as const, [60_000, 'min'] as const].find(([size]) => ms % size === 0) ?? [
    1_000,
    's',
  ]
  return `${ms / size} ${unit}`
}

/** One readable line for the hub's page. */
export function summarizePolicy(policy: Policy): string {
  const folders = policy.roots.length === 0 ? 'no folder is allowed yet' : `folders: ${policy.roots.join(', ')}`
  const backends = policy.backends ? `backends: ${Object.keys(policy.backends).join(', ') || 'none'}` : 'all backends'
  const programs = Object.entries(policy.programs ?? {}).map(([name, { profile }]) => `${name} (${profile})`)
  const extras = [
    ...(programs.length > 0 ? [`programs: ${programs.join(', ')}`] : []),
    ...(policy.allowBypassPermissions ? ['permission bypass allowed'] : []),
    ...(policy.acceptHubRules ? ['hub rules accepted'] : []),
    ...(policy.trustProjectConfig ? ['project configuration trusted'] : []),
    ...(policy.notes === undefined ? [] : [`notes of roles in ${policy.notes}`]),
    ...(policy.denyTools.length > 0 ? [`denied tools: ${policy.denyTools.join(', ')}`] : []),
    ...(policy.limits.askMs === undefined ? [] : [`permission requests expire after ${inWords(policy.limits.askMs)}`]),
    ...(policy.denyPaths.length > 0 ? [`denied paths: ${policy.denyPaths.join(', ')}`] : []),
  ]
  return [folders, backends, `sandbox up to ${policy.maxSandbox}`, ...extras].join('; ')
}
