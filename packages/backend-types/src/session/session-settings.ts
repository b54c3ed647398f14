/** The settings of a new session. */
import { z } from 'zod'
import { ThinkingTokens } from '../adapter/queries'
import { Sandbox } from '../adapter/sandbox'
import { PermissionConfig } from './permission-config'

/** A name that every shell and program reads as one name: `LC_X;id` or `BASH_FUNC_x%%` is none. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

/** A name that is one part of a path, and nothing else: no role can lead out of the folder of notes (POL-6). */
export const roleName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** What a session was made with: everything that rebuilds the hub's row (SES-2) and the next spawn (RES-7). */
export const SessionSettings = z.object({
  backend: z.string(),
  /** As asked; `session_created.realWorkDir` is what it resolved to. */
  workDir: z.string().min(1).max(4096),
  model: z.string().max(200).optional(),
  mode: z.string().max(200).optional(),
  sandbox: Sandbox.optional(),
  thinking: z.string().max(200).optional(),
  maxThinkingTokens: ThinkingTokens.optional(),
  systemPrompt: z.string().max(65_536, 'must have at most 65536 characters').optional(),
  roleId: z.string().max(64).optional(),
  useBrainCore: z.boolean().optional(),
  additionalDirs: z.array(z.string().max(4096)).max(32, 'must be at most 32').optional(),
  allowedTools: z.array(z.string().max(200)).max(200).optional(),
  disallowedTools: z.array(z.string().max(200)).max(200).optional(),
  mcpConfigPath: z.string().max(4096).optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  env: z.record(z.string(), z.string()).optional(),
  autoResume: z.boolean().optional(),
  /** Judged in the host, before anybody is asked (PERM-12). */
  permissionConfig: PermissionConfig.optional(),
})
export type SessionSettings = z.infer<typeof SessionSettings>

/** What becomes of the permission requests of a run: a person answers them, or the hub denies them. */
export const OnPermission = z.enum(['wait', 'deny'])
export type OnPermission = z.infer<typeof OnPermission>

/** As a person asks for it. What is stored is read as it is: it is judged where it would run. */
export const AskedSettings = SessionSettings.extend({
  env: z.record(z.string().regex(variableName, 'is no name of a variable'), z.string()).optional(),
  roleId: z.string().regex(roleName, 'is no name of a role').optional(),
})
