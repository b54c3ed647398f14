/** The runtime for channels and scripts, over an adapter. Each call of `execute` is one program, which ends with it. */
import type { AgentEvent, AgentExecuteParams, AgentRuntime, BackendAdapter } from '@roundhouse/backend-types'
import { Execution, type RuntimeOptions } from './execution'
import type { RunNews } from './run-news'

export class AdapterRuntime implements AgentRuntime {
  constructor(
    private readonly adapter: BackendAdapter,
    private readonly options: RuntimeOptions,
  ) {}

  /** Nothing starts before somebody reads. Who stops reading ends the run; the iteration is over when its program is gone. */
  async *execute(params: AgentExecuteParams): AsyncGenerator<AgentEvent, void, undefined> {
    for await (const news of this.follow(params)) if (news.kind === 'event') yield news.event
  }

  /** As `execute`, with the pieces of a text that is still being written. */
  async *follow(params: AgentExecuteParams): AsyncGenerator<RunNews, void, undefined> {
    const execution = new Execution(this.adapter, this.options, params)
    try {
      yield* execution.begin()
    } finally {
      await execution.end()
    }
  }
}
