'use client'
import type { FileChange } from '@roundhouse/backend-types'
import { NotRead } from '../../../ui/not-read'
import { late } from '../../../ui/overlays/late'
import type { CutViewProps } from '../artifacts/cut-view'
import type { ChangeViewProps } from '../changes/change-view'
import type { ToolDetail } from '../changes/input-detail'
import { Markdown } from '../markdown/markdown'
import { LongText } from '../text/long-text'
import { MembersView } from './late-members'

interface ToolDetailProps {
  detail: ToolDetail
  /** Hides nothing silently, as a permission prompt requires. */
  complete?: boolean
  /** The files as the machine found them when it made the request. */
  found?: readonly FileChange[] | undefined
  /** Unique on the page, so that opened parts stay open. */
  keep: string
}

/** What a call would do, or did. */
export function ToolDetailView({ detail, complete = false, found, keep }: ToolDetailProps) {
  switch (detail.kind) {
    case 'none':
      return null
    case 'command':
      return <LongText text={detail.text} complete={complete} label="Command" code keep={keep} />
    case 'json':
      return <LongText text={detail.text} complete={complete} label="Input" code keep={keep} />
    case 'plan':
      return <Markdown text={detail.text} />
    case 'members':
      return <MembersView members={detail.members} label="Input" complete={complete} keep={keep} />
    case 'changes':
      return detail.changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file may be changed twice
        <ChangeView key={index} change={change} found={found} complete={complete} keep={`${keep}-${index}`} />
      ))
    case 'cut':
      return <CutView value={detail.value} complete={complete} keep={keep} />
  }
}

/** Content that is too large for the log. Nobody can decide about it before it is here. */
const CutView = late<CutViewProps>(
  () => import('../artifacts/cut-view').then((module) => module.CutView),
  ({ complete, keep }) => <NotRead complete={complete} keep={keep} />,
)

/** Loads when there is something to compare. */
const ChangeView = late<ChangeViewProps>(
  () => import('../changes/change-view').then((module) => module.ChangeView),
  ({ complete, keep }) => <NotRead complete={complete} keep={keep} />,
)
