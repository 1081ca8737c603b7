#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { createProgram } from './program.js'

// The environment wins over the file, as everywhere.
if (existsSync('.env')) process.loadEnvFile('.env')

await createProgram().parseAsync()
