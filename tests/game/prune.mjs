// Takes out of minecraft-data what no test reads: the versions of the game's other edition, two thirds of the package.
import { readdirSync, rmSync } from 'node:fs'

const bedrock = new URL('node_modules/minecraft-data/minecraft-data/data/bedrock/', import.meta.url)
for (const version of readdirSync(bedrock)) {
  // Which features each version has; read when the package is loaded.
  if (version !== 'common') rmSync(new URL(version, bedrock), { recursive: true })
}
