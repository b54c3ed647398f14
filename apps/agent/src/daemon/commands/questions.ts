/** Questions of the hub (CMD-6): answered at once or not at all; a question stores and changes nothing. */
import {
  type ArtifactChunk,
  CodedError,
  type CommandsReply,
  type FolderRule,
  type QueryAnswer,
  type Question,
  type QuestionAnswer,
  type QuestionKind,
  type ReadQuery,
  toCodedError,
} from '@roundhouse/backend-types'
import { readCommands } from '../../host-contract/commands-file'
import { pausedError } from '../../policy/pause'
import type { Policy } from '../../policy/policy'
import type { Supervisor } from '../hosts/supervisor'
import type { ManifestService } from '../looks/manifest-service'
import type { PathLooker } from '../looks/path-looker'
import type { WorkFiles } from '../looks/work-files'
import { readArtifact } from './read-artifact'

type Answer = QuestionAnswer<QuestionKind>

/** `block` repeats a part of what was sent, and the others come with every letter that somebody types. */
const unrecorded: ReadonlySet<Question['kind']> = new Set(['block', 'commands', 'files'])

/** What the owner of the machine allows. */
interface OwnersWord {
  current(): Policy
  /** Epoch ms; null while the machine is not paused. */
  pausedSince(): number | null
  folderRules(): FolderRule[]
}

export class Questions {
  constructor(
    private readonly owner: OwnersWord,
    private readonly manifest: ManifestService,
    private readonly supervisor: Supervisor,
    private readonly looker: PathLooker,
    private readonly files: WorkFiles,
    /** The result of a question about this machine. */
    private readonly record: (kind: Question['kind'], refusal: CodedError | null) => void,
  ) {}

  async answer(question: Question): Promise<Answer> {
    const isMore = question.kind === 'artifact' && question.from > 0
    if (isMore || unrecorded.has(question.kind)) return this.find(question)
    try {
      const answer = await this.find(question)
      this.record(question.kind, null)
      return answer
    } catch (error) {
      this.record(question.kind, toCodedError(error))
      throw error
    }
  }

  private async find(question: Question): Promise<Answer> {
    // The text of a running turn was sent before; this only completes it.
    if (question.kind !== 'block' && this.owner.pausedSince() !== null) throw pausedError()
    switch (question.kind) {
      case 'manifest':
        return { manifest: await this.manifest.refresh() }
      case 'folders':
        return this.looker.see({ look: 'folders', roots: this.owner.current().roots, path: question.path })
      case 'rules':
        return { rules: this.owner.folderRules() }
      case 'commands':
        return this.commands(question.sessionId)
      case 'artifact':
        return this.artifact(question.sessionId, question.artifactId, question.from)
      case 'files':
        return this.files.find(question.sessionId, question.query)
      case 'query':
        return this.query(question.sessionId, question.method)
      case 'block':
        return this.block(question.sessionId, question.blockId, question.from)
    }
  }

  /** As the program reported them when it last started. */
  private commands(sessionId: string): CommandsReply {
    if (!this.supervisor.holds(sessionId)) throw new CodedError('SESSION_NOT_FOUND')
    return readCommands(this.supervisor.files(sessionId).commands) ?? { commands: [] }
  }

  private artifact(sessionId: string, artifactId: string, from: number): ArtifactChunk {
    if (!this.supervisor.holds(sessionId)) throw new CodedError('ARTIFACT_GONE')
    return readArtifact(this.supervisor.files(sessionId).artifacts, artifactId, from)
  }

  /** A question starts nothing: of a program that does not run there is nothing to ask. */
  private query(sessionId: string, method: ReadQuery): Promise<QueryAnswer> {
    if (!this.supervisor.holds(sessionId)) throw new CodedError('SESSION_NOT_FOUND')
    const host = this.supervisor.known(sessionId)?.attached
    if (!host) throw new CodedError('NOT_RUNNING')
    return host.query(method)
  }

  private async block(sessionId: string, blockId: string, from: number): Promise<{ text: string; length: number }> {
    const host = this.supervisor.known(sessionId)?.attached
    if (!host) throw new CodedError('NOT_FOUND', 'That text is already finished.')
    return host.block(blockId, from)
  }
}
