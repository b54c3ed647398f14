/**
 * Queries of a running program, by the eight names of the published bridge protocol. Four only read (CMD-6). Four change
 * something: at the hub they are commands, and an adapter carries them out as it carries out the setting that they name.
 */
import { z } from 'zod'

export const ReadQuery = z.enum(['supportedModels', 'supportedCommands', 'mcpServerStatus', 'accountInfo'])
export type ReadQuery = z.infer<typeof ReadQuery>

export const ChangeQuery = z.enum(['setModel', 'setPermissionMode', 'setMaxThinkingTokens', 'rewindFiles'])
export type ChangeQuery = z.infer<typeof ChangeQuery>

export type QueryMethod = ReadQuery | ChangeQuery
export const queryMethods: readonly QueryMethod[] = [...ReadQuery.options, ...ChangeQuery.options]
