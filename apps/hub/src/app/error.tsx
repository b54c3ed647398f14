'use client'
import { BrokenPage, type BrokenPageProps } from '../ui/broken-page'

export default function PageError(props: BrokenPageProps) {
  return <BrokenPage {...props} />
}
