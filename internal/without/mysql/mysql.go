// Package mysql is where Akita's packages import a driver for a server's
// databases, which no part of spvsim opens.
package mysql
