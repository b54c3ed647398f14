'use client'
import type { CutValue } from '@roundhouse/backend-types'
import { Button } from '../../ui/button'
import { shortBytes } from '../../ui/bytes'
import { CodeText } from '../../ui/code-text'
import { useKept } from '../../ui/kept-state'
import { late } from '../../ui/late'
import { ScrollRegion } from '../../ui/scroll-region'
import { useFolded } from '../../ui/seen-whole'
import type { ChangeViewProps } from './change-view'
import type { ToolDetail } from './describe-tool'
import { LongText } from './long-text'
import { Markdown } from './markdown'
import { MembersView } from './members-view'

interface ToolDetailProps {
  detail: ToolDetail
  /** Nothing is hidden without saying so, as a permission prompt needs it. */
  complete?: boolean
  /** Unique on the page, so that what was opened stays open. */
  keep: string
}

/** What a call would do or did. */
export function ToolDetailView({ detail, complete = false, keep }: ToolDetailProps) {
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
    case 'write':
      return <LongText text={detail.text} complete={complete} label={`Content of ${detail.path}`} keep={keep} />
    case 'edit':
      return <ChangeView path={detail.path} change={detail} keep={keep} />
    case 'patch':
      return detail.changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file may be changed twice
        <ChangeView key={index} path={change.path} change={change} keep={`${keep}-${index}`} />
      ))
    case 'cut':
      return <CutView value={detail.value} complete={complete} keep={keep} />
  }
}

/** Both ends of what is too large for the log. Whoever decides on it says that they do so without its middle. */
function CutView({ value, complete, keep }: { value: CutValue; complete: boolean; keep: string }) {
  const [without, setWithout] = useKept(`${keep}-cut`, false)
  useFolded(`${keep}-cut`, complete && !without)
  return (
    <div>
      <ScrollRegion label="Beginning" className="bg-sunken">
        <CodeText>{value.head}</CodeText>
      </ScrollRegion>
      <p className="my-1 text-needs text-xs">
        {shortBytes(value.bytes)} in all; the middle is not shown here.{' '}
        {value.artifactId
          ? `The machine has all of it, in the session's folder: artifacts/${value.artifactId}.`
          : 'It was not kept.'}
        {complete ? ' Look at it there before you decide.' : ''}
      </p>
      <ScrollRegion label="End" className="bg-sunken">
        <CodeText>{value.tail}</CodeText>
      </ScrollRegion>
      {complete && !without ? (
        <Button size="sm" className="mt-1" onClick={() => setWithout(true)}>
          Decide without the middle
        </Button>
      ) : null}
    </div>
  )
}

/** Comparing is fetched when there is something to compare. Until it is here, both sides show as they are. */
const ChangeView = late<ChangeViewProps>(
  () => import('./change-view').then((module) => module.ChangeView),
  ({ path, change, keep }) =>
    'diff' in change ? (
      <LongText text={`${path}\n${change.diff}`} label="Change" complete keep={keep} />
    ) : (
      <>
        <LongText text={`${path}, before:\n${change.before}`} label="Before" complete keep={keep} />
        <LongText text={`${path}, after:\n${change.after}`} label="After" complete keep={keep} />
      </>
    ),
)
