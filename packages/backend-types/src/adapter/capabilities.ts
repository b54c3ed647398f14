/**
 * What a program can do, as flat facts. Asking for what is false here is `UNSUPPORTED`, never a silent drop.
 *
 * The first block has the fields of the public `Capabilities` of the RenseiAI `donmai/agent` package, each as optional as there: its
 * JSON stays the same when it is read and written again. What is absent is false. The second block is ours.
 */
import { z } from 'zod'

export const Capabilities = z.object({
  supportsMessageInjection: z.boolean(),
  supportsSessionResume: z.boolean(),
  supportsToolPlugins: z.boolean().optional(),
  needsBaseInstructions: z.boolean().optional(),
  needsPermissionConfig: z.boolean().optional(),
  supportsCodeIntelligenceEnforcement: z.boolean().optional(),
  emitsSubagentEvents: z.boolean(),
  supportsReasoningEffort: z.boolean().optional(),
  /** The grammar of its lists of tools: `claude`, `codex`, or the name of another one. */
  toolPermissionFormat: z.string().optional(),
  acceptsAllowedToolsList: z.boolean().optional(),
  acceptsMcpServerSpec: z.boolean().optional(),
  humanLabel: z.string().optional(),

  /** The running turn can be ended without ending the process. */
  supportsInterrupt: z.boolean().optional(),
  /** Tool calls can be made to wait for a person. */
  supportsPermissions: z.boolean().optional(),
  /** An allow may change the tool's input. */
  supportsEditedInput: z.boolean().optional(),
  /** A deny reason reaches the model by itself. */
  supportsDenyReason: z.boolean().optional(),
  /** The operating system, not the model's good will, enforces the sandbox level. */
  enforcesSandbox: z.boolean().optional(),
  /** A session may use folders besides its work folder. Absent: it may. */
  acceptsFolders: z.boolean().optional(),
  /** `maxOutputTokens` limits an answer. Absent: it does. */
  limitsOutput: z.boolean().optional(),
  /** A prompt may bring images. */
  acceptsImages: z.boolean().optional(),
  /** A prompt may be images without a text. */
  acceptsImagesAlone: z.boolean().optional(),
  /** Turns report how full the context window is. Absent: they do. */
  reportsWindow: z.boolean().optional(),
  /** Turns report how many tokens they used. Absent: they do. */
  reportsUsage: z.boolean().optional(),
  /** Turns report their cost in dollars. */
  reportsCost: z.boolean().optional(),
  /** The queries that it answers (`queryMethods`). Absent: none. */
  queries: z.array(z.string().max(64)).max(32).optional(),
})
export type Capabilities = z.infer<typeof Capabilities>

type Flag = {
  [K in keyof Capabilities]-?: Exclude<Capabilities[K], undefined> extends boolean ? K : never
}[keyof Capabilities]

/** As adapters declare them. An older hub reads no entry without these. */
export type DeclaredCapabilities = Capabilities &
  Required<
    Pick<
      Capabilities,
      | Exclude<
          Flag,
          'acceptsFolders' | 'limitsOutput' | 'acceptsImages' | 'acceptsImagesAlone' | 'reportsWindow' | 'reportsUsage'
        >
      | 'humanLabel'
    >
  >

interface CapabilityRow {
  flag: Flag
  /** A program that does not mention it has it: the field is younger than the first programs. */
  unlessDenied?: true
  /** A sentence without its period, for the lists of what programs can do. */
  title: string
  /** Behind the name of the program: what it does not do. */
  lack: string
}

/** Each named capability but `tool_perm_format_claude`, which is a format. The first ten names are those of the same package. */
const rows = {
  message_injection: {
    flag: 'supportsMessageInjection',
    title: 'A running turn can be steered',
    lack: 'takes no prompt into a running turn',
  },
  session_resume: {
    flag: 'supportsSessionResume',
    title: 'A conversation continues after a crash',
    lack: 'cannot continue an earlier conversation',
  },
  tool_plugins: { flag: 'supportsToolPlugins', title: 'Tool plugins are accepted', lack: 'takes no tool plugins' },
  base_instructions: {
    flag: 'needsBaseInstructions',
    title: 'Base instructions are needed',
    lack: 'takes no base instructions',
  },
  permission_config: {
    flag: 'needsPermissionConfig',
    title: 'The rules of a session are judged before anybody is asked',
    lack: 'does not ask, so no rules can be judged',
  },
  code_intel_enforcement: {
    flag: 'supportsCodeIntelligenceEnforcement',
    title: 'Code intelligence is enforced',
    lack: 'does not enforce code intelligence',
  },
  subagent_events: {
    flag: 'emitsSubagentEvents',
    title: 'The work of sub-agents is shown',
    lack: 'does not show the work of sub-agents',
  },
  reasoning_effort: {
    flag: 'supportsReasoningEffort',
    title: 'The thinking level can be set',
    lack: 'has no thinking level to set',
  },
  accepts_allowed_tools_list: {
    flag: 'acceptsAllowedToolsList',
    title: 'A list of allowed tools is accepted',
    lack: 'takes no list of tools',
  },
  accepts_mcp_server_spec: {
    flag: 'acceptsMcpServerSpec',
    title: 'MCP servers are accepted',
    lack: 'takes no MCP servers',
  },
  permissions: {
    flag: 'supportsPermissions',
    title: 'Tool calls wait for a person',
    lack: 'does not ask before it acts',
  },
  edited_input: {
    flag: 'supportsEditedInput',
    title: 'A person can change the input of a call',
    lack: 'runs what it asked about, or nothing',
  },
  deny_reason: {
    flag: 'supportsDenyReason',
    title: 'The model reads the reason for a denial',
    lack: 'does not pass the reason for a denial to the model',
  },
  interrupt: {
    flag: 'supportsInterrupt',
    title: 'A turn can be stopped',
    lack: 'cannot stop a turn; only the whole program can be stopped',
  },
  os_sandbox: {
    flag: 'enforcesSandbox',
    title: 'The operating system enforces the sandbox',
    lack: 'keeps to the sandbox by itself; the operating system does not enforce it',
  },
  folders: {
    flag: 'acceptsFolders',
    unlessDenied: true,
    title: 'Further folders are accepted',
    lack: 'takes no folders besides the work folder',
  },
  output_limit: {
    flag: 'limitsOutput',
    unlessDenied: true,
    title: 'The longest answer can be set',
    lack: 'has no limit of an answer to set',
  },
  images: { flag: 'acceptsImages', title: 'A prompt can bring images', lack: 'takes no images' },
  images_alone: {
    flag: 'acceptsImagesAlone',
    title: 'A prompt can be images alone',
    lack: 'takes images only with a text',
  },
  window_report: {
    flag: 'reportsWindow',
    unlessDenied: true,
    title: 'Turns report how full the window is',
    lack: 'does not report how full the window is',
  },
  usage_report: {
    flag: 'reportsUsage',
    unlessDenied: true,
    title: 'Turns report their tokens',
    lack: 'does not report the tokens of a turn',
  },
  cost_report: { flag: 'reportsCost', title: 'Turns report their cost', lack: 'does not report the cost of a turn' },
} as const satisfies Record<string, CapabilityRow>

export type Capability = keyof typeof rows | 'tool_perm_format_claude'

export const capabilityRows: Readonly<Record<Exclude<Capability, 'tool_perm_format_claude'>, CapabilityRow>> = rows

export const capabilityNames = [...Object.keys(rows), 'tool_perm_format_claude'] as readonly Capability[]

export function isSupported(held: Capabilities, capability: Capability): boolean {
  if (capability === 'tool_perm_format_claude') return held.toolPermissionFormat === 'claude'
  const { flag, unlessDenied } = capabilityRows[capability]
  return unlessDenied ? held[flag] !== false : held[flag] === true
}
