// Package equiv decides whether two tensor programs mean the same.
package equiv
