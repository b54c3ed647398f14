/** What the agent gives an adapter when it builds it. */

/** A call of a hook that `providerConfig` registered, in the program's own words. */
export interface HookCall {
  event: string
  input: unknown
  /** The tool call that it is about. */
  callId?: string
  /** The program does not wait for the answer any more. */
  withdrawn: AbortSignal
}

/** A caller on this machine that speaks the language of one program: the bridge. */
export interface DirectCaller {
  /** Resolves to the answer in the program's own words. */
  hook(call: HookCall): Promise<Record<string, unknown>>
}

/** The dependencies of an adapter. The agent builds it once per machine; adapters read no other environment. */
export interface AdapterContext {
  /** The environment that programs may inherit: the owner's, cut to the policy's allow-list. */
  env: Record<string, string>
  /** Absolute path of the program where the policy pins one; otherwise it is looked up on `env.PATH`. */
  binaryPath?: string
  /** A private folder for the adapter's scratch files. */
  scratchDir: string
  /** A private folder that all processes of this machine share, for the models that a program named. Absent: nothing is kept. */
  modelsFolder?: string
  /**
   * The machine's policy. Unless true, what a repository configures for the program (its MCP servers, hooks,
   * command rules) is not loaded: it would run code before anybody was asked. Its instructions are text, and read as text.
   */
  trustProjectConfig?: boolean
  /** Real paths of the folders that the policy allows: instructions outside of them are not read. Absent: the work folder. */
  roots?: readonly string[]
  /** Takes the secrets out of a text that is read from files for the model. */
  hideSecrets?(text: string): string
  /**
   * Called before a program starts, with folders that do not exist now and that the program may leave behind empty when it
   * is killed. They are removed when the processes of a dead host are ended.
   */
  mayLeave?(folders: readonly string[]): void
  /**
   * Called before a start waits for something else than the program, with what it waits for, in sentences for people; and with null
   * when it goes on.
   */
  startWaits?(why: string | null): void
  /** Processes of this machine that have all of these in their environment, as far as they let themselves be read in time. */
  markedBy?(entries: Readonly<Record<string, string>>): Promise<number[]>
  /** Set by a caller that speaks the program's own language. An adapter that has no such language ignores it. */
  direct?: DirectCaller
  /**
   * What the machine's policy denies by name, for programs that accept deny rules: they act by their own rules without
   * asking, and nobody else sees such actions. Paths are absolute.
   */
  deny?: {
    tools: readonly string[]
    paths: readonly string[]
    /** The owner wants the program's own sandbox to keep its commands from these paths, at the price that it has. */
    inSandbox?: boolean
  }
}
