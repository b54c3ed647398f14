'use client'
import { BrokenPage, type BrokenPageProps } from '../../ui/broken-page'

/** Within the frame, so that the other pages are still a click away. */
export default function HubPageError(props: BrokenPageProps) {
  return <BrokenPage {...props} />
}
