/** `launch.json`: what the daemon tells a host before it starts. It has no secret (`host-door.ts`). */
import { Id, Sandbox } from '@roundhouse/backend-types'
import { z } from 'zod'

/** The environment variable that every process of a session carries: `ROUNDHOUSE_SESSION=<sessionId>`. */
export const SESSION_MARK = 'ROUNDHOUSE_SESSION'
/**
 * Beside it: which launch of the session's host a process comes from. The guard of a host that died ends what that host
 * started, and must not touch its successor, which may live already.
 */
export const HOST_MARK = 'ROUNDHOUSE_HOST'
/** And in which folder that host keeps its session: a copy of the home has sessions of the same names. */
export const FOLDER_MARK = 'ROUNDHOUSE_FOLDER'

/** The part of the machine's policy that a host checks by itself at spawn and at every decision (POL-1, PERM-2). */
export const HostPolicy = z.object({
  /** Real paths. A work folder, and the folder of every action that is allowed, lies in one of them. */
  roots: z.array(z.string()),
  maxSandbox: Sandbox,
  allowBypassPermissions: z.boolean(),
  trustProjectConfig: z.boolean().optional(),
  /** The backends that may run. Absent (an older daemon): every one. */
  backends: z.array(z.string()).optional(),
  /** What is wrong, in a sentence, with each backend whose version is not allowed here. */
  wrongVersions: z.record(z.string(), z.string()).optional(),
  acceptHubRules: z.boolean().optional(),
  /** Further variables that a hub may set for a session. */
  hubEnvAllow: z.array(z.string()).optional(),
  /** Tools that are refused whatever a person says, by name. */
  denyTools: z.array(z.string()).optional(),
  /** Files and folders that no action may name. */
  denyPaths: z.array(z.string()).optional(),
  /** Folder of `<roleId>/*.md` notes (POL-6). */
  notes: z.string().optional(),
  /** Real paths of what belongs to the agent itself: no action may name it, no session may use it (POL-4). */
  agentPlaces: z.array(z.string()).optional(),
  /** By the owner: nothing may start. What runs goes on to the end of its turn. */
  paused: z.boolean().optional(),
  /** After this time an unanswered request expires (PERM-4). Absent: never. */
  askLifeMs: z.number().int().positive().optional(),
})
export type HostPolicy = z.infer<typeof HostPolicy>

/** How far the hub has taken this very log, and whether it says so on the connection that stands now. */
export const AckedNews = z.object({
  logId: Id,
  upTo: z.number().int().min(0),
  /** The hub's epoch under which it was said. */
  epoch: z.string(),
  /** Only then anything may be pruned: a hub that was put back may need the rest (REB-3). */
  present: z.boolean(),
})
export type AckedNews = z.infer<typeof AckedNews>

/** How long the daemon tries to reach a host that it started, and how long that host waits for it. */
export const START_LIMIT_MS = 20_000

/** The exit code of a host that cannot read its log from the disk. */
export const UNREADABLE_EXIT = 5
/** The exit code of a host on a machine that has no room for what the host opens at its start. */
export const LACKING_EXIT = 6
/** The exit code of a host whose session another host holds. */
export const HELD_EXIT = 7

/** A program that the policy names beside the backends of the release. */
export const NamedProgram = z.object({
  /** The absolute path of the program, then its arguments. */
  argv: z.array(z.string()).min(1),
  profile: z.string(),
  label: z.string(),
})
export type NamedProgram = z.infer<typeof NamedProgram>

export const LaunchSpec = z.object({
  version: z.literal(1),
  sessionId: Id,
  sessionDir: z.string(),
  /** `folderId` of it. Absent where an earlier release wrote this. */
  folder: z.string().optional(),
  socketPath: z.string(),
  /** Where the host listens when that path cannot be made again; then `host.json` says so. */
  spareSockets: z.array(z.string()).optional(),
  /** Which launch this is, and the value of `HOST_MARK`; the secret of the socket is derived from it. */
  launchId: Id.optional(),
  /** Only a host of the previous version has one (VER-2). */
  socketToken: z.string().min(32).optional(),
  /** `close`: write what a dead host left open, start no backend, end. `rebase`: REB-1, then end. `prune`: REB-3, then end. */
  mode: z.enum(['run', 'close', 'rebase', 'prune']),
  /** The host that died had said that its disk took no writes (FLOW-2), or answered nobody. */
  unwritten: z.boolean().optional(),
  /** The host before answered nobody, and was ended for a command that ends its program. */
  endAsked: z.boolean().optional(),
  /** The hub holds up to `to`; log and hub agree up to `held` (REB-1). */
  rebase: z
    .object({
      held: z.number().int().min(0),
      to: z.number().int().min(0),
      /** The hub's epoch: what it holds counts as acked under it. */
      epoch: z.string().default(''),
      /** Of which log the hub said so. Another one, in the place of a damaged one, is not moved. */
      logId: z.string().default(''),
    })
    .optional(),
  /** What the daemon remembers of the log: one that holds less was lost (REB-1). */
  known: z.object({ logId: Id, last: z.number().int().min(0) }).optional(),
  acked: AckedNews.optional(),
  /** Absent: all is kept, and nothing is held back. */
  limits: z
    .object({
      /** Of what the hub has taken, this much is kept (REB-3). */
      keepMs: z.number().int().positive(),
      keepBytes: z.number().int().min(0),
      /** Above this the program waits until the hub has taken more (FLOW-2). */
      backlogBytes: z.number().int().positive(),
    })
    .optional(),
  /** No place among the running programs: commands are taken, and no program starts before the daemon says so (`place`). */
  waits: z.boolean().optional(),
  /** Nothing going on for this long: the host stops the backend and ends (SES-6). */
  idleMs: z.number().int().positive(),
  /** A turn that a person stops has ended after this, or its program is ended (CMD-5). Absent: the usual time. */
  stopLimitMs: z.number().int().positive().optional(),
  policy: HostPolicy,
  backends: z.record(
    z.string(),
    z.object({
      binaryPath: z.string().optional(),
      denyInSandbox: z.boolean().optional(),
      program: NamedProgram.optional(),
    }),
  ),
  /** For the temporary files of programs. Absent (an older daemon): a folder in `sessionDir`. */
  scratchDir: z.string().optional(),
  /** What programs named as their models. An older daemon names no folder. */
  modelsFolder: z.string().optional(),
  /** The player of the scripted backend. */
  playerPath: z.string().optional(),
  /** 32 random bytes that never leave the machine (PERM-8). Made by the host if it does not exist. */
  digestKeyPath: z.string(),
  /** The machine's rules of folders (PERM-13). An older daemon names none. */
  rulesFolder: z.string().optional(),
  /** Bytes of the ring of raw frames (LOG-8). */
  ringBytes: z.number().int().positive().optional(),
  /** The machine's own record, in which asks and their outcomes are written down. */
  verbsLog: z.string().optional(),
  /** Of the programs' tools: where the host listens for them, and the file of their MCP server. An older daemon names none. */
  tools: z.object({ socketPath: z.string(), entry: z.string() }).optional(),
  /** The reaper's entry file, started by the guard when the host dies. */
  reaperEntry: z.string().optional(),
})
export type LaunchSpec = z.infer<typeof LaunchSpec>

export type HostLimits = NonNullable<LaunchSpec['limits']>

/** `host.json`. */
export const HostRecord = z.object({
  version: z.literal(1),
  sessionId: Id,
  pid: z.number().int(),
  start: z.string(),
  bootId: z.string(),
  /** The value of `HOST_MARK`. */
  launch: z.string().optional(),
  /** The session's folder, by its number and by its path then. Absent where an earlier release wrote this. */
  folder: z.string().optional(),
  dir: z.string().optional(),
  proto: z.number().int(),
  sock: z.string(),
  procs: z.array(z.object({ procId: Id, pid: z.number().int(), start: z.string(), bootId: z.string() })),
  /** Folders that were not there before, and that a program may leave behind empty when it is killed. */
  mayLeave: z.array(z.string()).optional(),
})
export type HostRecord = z.infer<typeof HostRecord>
