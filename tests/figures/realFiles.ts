import { readFile, writeFile } from 'node:fs/promises'
import { bringRealFiles } from '#support/realFiles/bringRealFiles'
import { compareFile } from '#support/realFiles/compare'
import { realFilesTable, tableIn, withTable } from '#support/realFiles/table'

const TABLE_PATH = 'docs/real-files.md'

/** Brings the files of real phones, judges them, and prints the table; with `isWritten` into its page, too. */
export async function judgeRealFiles(options: {
  readonly mirror: string | undefined
  readonly isWritten: boolean
}): Promise<void> {
  const { files, missing } = await bringRealFiles({ mirror: options.mirror, isOnline: true })
  const comparisons = []
  for (const file of files) if (!file.local.endsWith('.mov')) comparisons.push(await compareFile(file))
  const page = await readFile(TABLE_PATH, 'utf8')
  const table = realFilesTable(comparisons, tableIn(page))
  console.log(table)
  for (const { file, reason } of missing) console.log(`skip  ${file.name}: ${reason}`)
  if (options.isWritten) await writeFile(TABLE_PATH, withTable(page, table))
}
